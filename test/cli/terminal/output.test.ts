import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Output, type Stream } from '../../../src/cli/terminal/output.ts';
import { palette } from '../../../src/cli/terminal/paint.ts';
import { printable, toJson } from '../../../src/cli/terminal/plain.ts';
import { table } from '../../../src/cli/terminal/table.ts';
import { wrap } from '../../../src/cli/terminal/wrap.ts';

function terminal(columns?: number): Stream {
  return Object.assign(new PassThrough(), { isTTY: true, ...(columns && { columns }) });
}

describe('output', () => {
  test('[CLI8] colours are for terminals without NO_COLOR', () => {
    expect(new Output(terminal(), {}).colour).toBe(true);
    expect(new Output(new PassThrough(), {}).colour).toBe(false);
    expect(new Output(terminal(), { NO_COLOR: '1' }).colour).toBe(false);
    expect(new Output(terminal(), { NO_COLOR: '' }).colour).toBe(true);
    expect(new Output(terminal(), { TERM: 'dumb' }).colour).toBe(false);
    expect(palette(new Output(new PassThrough(), {})).red('x')).toBe('x');
    expect(palette(new Output(terminal(), {})).red('x')).toBe('\u001b[31mx\u001b[39m');
  });

  test('[CLI8] is as wide as the terminal, within reason', () => {
    expect([40, 80, 300].map((columns) => new Output(terminal(columns), {}).columns)).toEqual([60, 80, 120]);
    expect(new Output(new PassThrough(), {}).columns).toBe(100);
  });

  test('[CLI3] waits for a slow reader', async () => {
    const slow = new PassThrough({ highWaterMark: 4 });
    const output = new Output(slow, {});
    let written = false;
    const writing = output.write('12345678').then(() => {
      written = true;
    });
    await setImmediate();
    expect(written).toBe(false);
    slow.resume();
    await writing;
    expect(slow.listenerCount('drain') + slow.listenerCount('close')).toBe(0);
  });

  test('[CLI3] a reader that left is no error, and nothing is written any more', async () => {
    let writes = 0;
    const gone = new Writable({
      write(_chunk, _encoding, done) {
        writes++;
        done(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
      },
    });
    const output = new Output(gone, {});
    await output.write('x'.repeat(100_000));
    await setImmediate();
    expect(output.closed).toBe(true);
    await output.write('y');
    expect(writes).toBe(1);
  });
});

describe('text', () => {
  test('[CLI8] control characters of data are shown, not sent', () => {
    expect(printable('a\u001b[31mb\r\n\u0000\u009b\u202e\ufeffz')).toBe(
      'a\\u{1b}[31mb\\u{d}\\u{a}\\u{0}\\u{9b}\\u{202e}\\u{feff}z',
    );
    expect(printable('grün 漢字 🙂')).toBe('grün 漢字 🙂');
  });

  const unseen = [
    0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x180e, 0x200b, 0x200f, 0x2028, 0x2029, 0x202e, 0x2060, 0x2064,
  ]
    .concat([0x2066, 0x2069, 0xfeff, 0xe0000, 0xe0001, 0xe0041, 0xe007f])
    .map((code) => [code.toString(16), String.fromCodePoint(code)] as const);

  test.each(unseen)('[CLI8] U+%s is shown as a code, and escaped in JSON', (code, char) => {
    expect(printable(`a${char}z`)).toBe(`a\\u{${code}}z`);
    const json = toJson({ [char]: `a${char}z` });
    expect(json).toMatch(/^[ -~]*$/);
    expect(JSON.parse(json)).toEqual({ [char]: `a${char}z` });
  });

  test('[CLI8] JSON is otherwise as it always is', () => {
    const value = { a: ['grün 漢字 🙂', '\n"\\', 1, null] };
    expect(toJson(value)).toBe(JSON.stringify(value));
  });

  test('[CLI8] lines break at spaces, long words stay whole', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('averylongword x', 5)).toEqual(['averylongword', 'x']);
    expect(wrap('', 5)).toEqual(['']);
  });

  test('[CLI8] a table keeps its columns and gives one of them the rest', () => {
    const columns = [{ title: 'A' }, { title: 'B', flexible: true }, { title: 'N', right: true }];
    expect(
      table(
        columns,
        [
          ['x', 'some words that go on and on and on', '10'],
          ['yy', '\u001b[31mred\u001b[39m', '5'],
        ],
        33,
      ),
    ).toEqual([
      'A   B                           N',
      'x   some words that go on and  10',
      '    on and on',
      'yy  \u001b[31mred\u001b[39m                         5',
    ]);
  });
});
