import { GrpcError, status } from './status.ts';

const units: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** Milliseconds that `grpc-timeout` gives; undefined: for ever. */
export function readTimeout(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const digits = header.slice(0, -1);
  const unit = units[header.slice(-1)];
  if (unit === undefined || !/^\d{1,8}$/.test(digits))
    throw new GrpcError(status.internal, 'got a grpc-timeout that is none, want up to 8 digits and a unit');
  return Number(digits) * unit;
}
