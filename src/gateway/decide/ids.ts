import { randomBytes } from 'node:crypto';

/** All ends of two digits: a number is spelt once in so many, since that takes longer than to decide. */
const ends = Array.from({ length: 36 * 36 }, (_, i) => i.toString(36).padStart(2, '0'));

/** Unlike those of every other process, and cheap: a decision takes less time than a random number. */
export function decisionIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let start = '';
  let count = 0;
  return () => {
    const end = count % ends.length;
    if (end === 0) start = `${process}.${(count / ends.length).toString(36)}`;
    count++;
    return start + ends[end];
  };
}
