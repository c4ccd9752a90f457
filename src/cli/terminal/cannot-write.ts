import { getSystemErrorMessage } from 'node:util';

/** What is said where the output does not go out; nothing of a reader that left (`| head`). */
export function cannotWrite({ code, errno, message }: NodeJS.ErrnoException): string | undefined {
  if (code === 'EPIPE') return undefined;
  return `cannot write the output: ${errno === undefined ? message : getSystemErrorMessage(errno)}`;
}
