import type { Path } from '../../pdp/model/violation.ts';
import type { Finding } from './finding.ts';

/** Wording that JSON and YAML share. */

export function duplicateKey(path: Path, key: string, offset: number): Finding {
  return {
    path,
    code: 'duplicate-key',
    message: `key ${shown(key)} stands here a second time`,
    hint: 'keep one of them',
    offset,
  };
}

export function forbiddenKey(path: Path, key: string, offset: number): Finding {
  return { path, code: 'forbidden-key', message: `key ${shown(key)} is not accepted anywhere`, offset };
}

export function unreadableNumber(path: Path, written: string, offset: number): Finding {
  return {
    path,
    code: 'value',
    message: `number ${shorten(written)} cannot be held exactly`,
    hint: 'put it in quotes if it is no number',
    offset,
  };
}

export function shown(text: string): string {
  return JSON.stringify(shorten(text));
}

export function shorten(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** A number that reads back as another one: an integer beyond 2^53, or one that is infinite. */
export function losesDigits(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}
