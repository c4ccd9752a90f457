import { startsWith, type Violation } from '../pdp/model/violation.ts';
import type { Unread } from './document.ts';
import { stringFault } from './text/characters.ts';

/** Whether a violation is there only because part of the document was not read: that was said, and is one mistake. */
export function followsFrom({ path, code }: Violation, unread: readonly Unread[]): boolean {
  return unread.some((one) => {
    if (one.isSecond === true || !startsWith(path, one.path)) return false;
    if (one.ofKey !== true || path.length === one.path.length) return true;
    if (path.length > one.path.length + 1) return false;
    // JSON has it as a field.
    return code === 'missing' || code === 'empty' || stringFault(String(path.at(-1))) !== undefined;
  });
}
