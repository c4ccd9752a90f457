/** Of the codes of gRPC those that a server of ours answers with. */
export const status = {
  ok: 0,
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export type Status = (typeof status)[keyof typeof status];

/** Ends a call with a status and words for whoever runs the client. */
export class GrpcError extends Error {
  readonly status: Status;

  constructor(status: Status, message: string) {
    super(message);
    this.name = 'GrpcError';
    this.status = status;
  }
}

/** As a header can carry it: percent-encoded UTF-8, all but printable ASCII (gRPC over HTTP/2, "Responses"). */
export function encodeMessage(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8').subarray(0, longestMessage)) {
    encoded +=
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

const longestMessage = 1_024;
