import { randomBytes } from 'node:crypto';

/** Unlike those of every other process, and cheap: a decision takes less time than a random number. */
export function decisionIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}.${(count++).toString(36)}`;
}
