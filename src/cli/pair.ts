import { exit, Failure } from './failure.ts';

/** `key=value`: keys hold colons and slashes but no `=`, values hold anything. Undefined if there is no key. */
export function pairOf(text: string): [string, string] | undefined {
  const equals = text.indexOf('=');
  return equals < 1 ? undefined : [text.slice(0, equals), text.slice(equals + 1)];
}

/** What an option says in such a form. */
export function pairFlag(flag: string, text: string, form = '<key>=<value>'): [string, string] {
  const found = pairOf(text);
  if (found === undefined) throw new Failure(exit.usage, `${flag} ${text}: want ${form}`);
  return found;
}
