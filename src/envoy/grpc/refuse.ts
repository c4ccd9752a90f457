import { constants, type ServerHttp2Stream } from 'node:http2';
import { encodeMessage, type GrpcError, type Status, status } from './status.ts';

export const answerHead = { ':status': 200, 'content-type': 'application/grpc' } as const;
/** No client of gRPC wants a date. */
export const answerWithTrailers = { waitForTrailers: true, sendDate: false } as const;
export const okTrailers = { 'grpc-status': '0' } as const;

export function trailersOf(code: Status, message: string): Record<string, string> {
  if (code === status.ok) return okTrailers;
  return { 'grpc-status': String(code), 'grpc-message': encodeMessage(message) };
}

/** An answer that is nothing but a status; what is still sent is not read. */
export function refuse(stream: ServerHttp2Stream, { status: code, message }: GrpcError): void {
  respond(stream, { ...answerHead, ...trailersOf(code, message), 'grpc-accept-encoding': 'identity' });
}

/** To what is no gRPC. */
export function refuseHttp(stream: ServerHttp2Stream, code: number): void {
  respond(stream, { ':status': code });
}

/** Whether an answer can still be begun. */
export function isOpen(stream: ServerHttp2Stream): boolean {
  return !stream.closed && !stream.destroyed && !stream.headersSent;
}

function respond(stream: ServerHttp2Stream, headers: Record<string, string | number>): void {
  if (!isOpen(stream)) return;
  stream.respond(headers, { endStream: true });
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}
