import { stripVTControlCharacters } from 'node:util';

/** Lines of at most `width` columns, broken at spaces; a longer word stands on a line of its own, whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let length = 0;
  for (const word of text.split(' ')) {
    const size = stripVTControlCharacters(word).length;
    if (line !== '' && length + 1 + size > width) {
      lines.push(line);
      line = '';
      length = 0;
    }
    line = line === '' ? word : `${line} ${word}`;
    length += size + (length > 0 ? 1 : 0);
  }
  lines.push(line);
  return lines;
}

/** `1 rule`, `2 rules`, `3 policies`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}
