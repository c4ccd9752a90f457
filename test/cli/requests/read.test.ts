import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/cli/requests/item.ts';
import { readRequests } from '../../../src/cli/requests/read.ts';
import { limits } from '../../../src/pdp/model/limits.ts';
import { formatPath } from '../../../src/pdp/model/violation.ts';
import { isForbiddenKey } from '../../../src/policy/text/characters.ts';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function read(input: string | Uint8Array, size = 65_536): Promise<Item[]> {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const items: Item[] = [];
  for await (const batch of readRequests('in', pieces(bytes, size))) items.push(...batch);
  return items;
}

/** Values as they are; what is no request as the line it stands in and its code. */
async function shape(input: string | Uint8Array, size?: number): Promise<unknown[]> {
  return (await read(input, size)).map((item) => (item.ok ? item.value : faultsOf(item)));
}

function faultsOf(item: Item & { ok: false }): string {
  return item.violations.map(({ place, code }) => `${place?.line} ${code}`).join(', ');
}

const forms: [string, string, unknown[]][] = [
  ['nothing', '', []],
  ['blank lines only', '\n \r\n\t\n', []],
  ['one object', '{"a":1}', [{ a: 1 }]],
  ['one per line', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
  ['lines of Windows, with blanks', '{"a":1}\r\n\r\n  {"a":2}\r\n', [{ a: 1 }, { a: 2 }]],
  ['a byte order mark', '\ufeff{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }]],
  ['one object over several lines', '{\n  "a": {\n    "b": "}"\n  }\n}\n', [{ a: { b: '}' } }]],
  ['objects one after another over several lines', '{\n "a": 1\n}\n{\n "a": 2\n}\n', [{ a: 1 }, { a: 2 }]],
  ['an array', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ['an array over several lines', '[\n  {"a": 1},\n  {"a": [2, "]"]}\n]\n', [{ a: 1 }, { a: [2, ']'] }]],
  ['an array of what is no request', '[1, "x,y", null]', [1, 'x,y', null]],
  ['an empty array', ' [ ] ', []],
  ['text, then a request', 'hello\n{"a":1}\n', ['1 syntax', { a: 1 }]],
  ['a broken object, then a request', '{"a":\n{"a":1}\n', ['1 syntax', { a: 1 }]],
  ['a request, then a broken one', '{"a":1}\n{"a":\n', [{ a: 1 }, '2 syntax']],
  ['a string that runs over its line', '{"a":"b\n{"a":1}\n', ['1 syntax', { a: 1 }]],
  ['nothing but broken lines', '{"a\n{"b\n', ['1 syntax', '2 syntax']],
  ['broken lines that leave a brace open', '{"a":1\n{"b":2\n', ['1 syntax', '2 syntax']],
  ['a broken array, then a request', '[1,\n{"a":1}\n', ['1 syntax', { a: 1 }]],
  ['a line that is an array, then a request', '[1]\n{"a":1}\n', [[1], { a: 1 }]],
  ['an object over several lines with a mistake', '{\n  "a": 1,\n}\n', ['3 syntax']],
  ['an object over several lines without an end', '{\n  "a": {\n', ['3 syntax']],
  ['an array with an empty element', '[{"a":1},,{"a":2}]', [{ a: 1 }, '1 syntax', { a: 2 }]],
  ['an array with a comma at its end', '[{"a":1},]', [{ a: 1 }, '1 syntax']],
  ['an array without an end', '[\n {"a":1},\n {"a"', [{ a: 1 }, '3 syntax']],
  ['more after an array', '[\n{"a":1}\n]\nx', [{ a: 1 }, '4 syntax']],
  ['two values in one line', '{"a":1} {"a":2}\n', ['1 syntax']],
];

/** Without the keys and numbers that are refused in any form. */
function readable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, part) => {
    if (isForbiddenKey(key)) return undefined;
    return Number.isInteger(part) && !Number.isSafeInteger(part) ? 0 : part;
  });
}

describe('forms of input', () => {
  for (const [name, input, want] of forms) {
    test(`[CLI1] ${name}, however it is cut into chunks`, async () => {
      for (const size of [1, 2, 3, 7, 65_536])
        expect(await shape(input, size), `chunks of ${size}`).toEqual(want);
    });
  }

  test('[CLI1] any list of values is the same one per line, as an array, and indented', async () => {
    // Not empty: `{}` ends with its line, so that the lines after it are lines too.
    const object = fc
      .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
      .map((value) => readable(value) as object)
      .filter((value) => Object.keys(value).length > 0);
    await fc.assert(
      fc.asyncProperty(
        fc.array(object, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        async (values, size) => {
          const want = JSON.parse(JSON.stringify(values));
          expect(await shape(values.map((value) => JSON.stringify(value)).join('\n'), size)).toEqual(want);
          expect(await shape(JSON.stringify(values), size)).toEqual(want);
          expect(await shape(JSON.stringify(values, null, 2), size)).toEqual(want);
          expect(await shape(values.map((value) => JSON.stringify(value, null, 2)).join('\n'), size)).toEqual(
            want,
          );
        },
      ),
      { seed: 20261118, numRuns: 200 },
    );
  });

  test('[CLI1] any bytes are answered alike however they are cut, never thrown at', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 1, max: 50 }),
        async (bytes, size) => {
          expect(await shape(bytes, size)).toEqual(await shape(bytes));
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });

  test('[CLI2] what is not UTF-8 is no request, and its neighbours are', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":1}\n{"a":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"a":2}\n'),
    ]);
    for (const size of [1, 100]) expect(await shape(bytes, size)).toEqual([{ a: 1 }, '2 syntax', { a: 2 }]);
  });
});

describe('what the service refuses', () => {
  const faults: [string, string, string][] = [
    ['a repeated key', '{"a": {"b":1, "b":2}}', '1:15 a.b duplicate-key'],
    ['each of them', '{"a":1,"a":2, "c":3,"c":4}', '1:8 a duplicate-key, 1:21 c duplicate-key'],
    ['a forbidden key', '{"a":{"__proto__":{}}}', '1:7 a.__proto__ forbidden-key'],
    ['one that is escaped', '{"\\u0063onstructor":1}', '1:2 constructor forbidden-key'],
    ['another', '{"prototype": 1}', '1:2 prototype forbidden-key'],
    ['half a surrogate pair', '{"a":"\\ud800"}', '1:6 a value'],
    ['NUL', '{"a":["x","\\u0000"]}', '1:11 a[1] value'],
    ['a control character', '{"a":"\\u0085"}', '1:6 a value'],
    ['a number that loses digits', '{"at":9007199254740993}', '1:7 at value'],
    ['an infinite number', '{"at": 1e999}', '1:8 at value'],
    ['a string over the limit', `{"a":"${'x'.repeat(limits.stringBytes + 1)}"}`, '1:6 a limit'],
    [
      'what nests too deep',
      `{"a":${'['.repeat(limits.nesting)}${']'.repeat(limits.nesting)}}`,
      '1:69 (root) limit',
    ],
  ];
  const shown = (items: readonly Item[]) =>
    items.map((item) =>
      item.ok
        ? item.value
        : item.violations
            .map(({ place, path, code }) => `${place?.line}:${place?.column} ${formatPath(path)} ${code}`)
            .join(', '),
    );

  test.each(faults)(
    '[CLI2] [CLI14] %s is no request, where it stands, and its neighbours are',
    async (_, text, want) => {
      const moved = (line: number, by: number) =>
        want.replaceAll(/(?<=^|, )1:(\d+)/g, (__, column) => `${line}:${Number(column) + by}`);
      for (const size of text.length < 1_000 ? [1, 5, 65_536] : [4_096, 3_000_000]) {
        expect(shown(await read(`{"a":1}\n${text}\r\n {"b": 2}`, size))).toEqual([
          { a: 1 },
          moved(2, 0),
          { b: 2 },
        ]);
        expect(shown(await read(`["é🙂",${text} , {"b": 2}]`, size))).toEqual(['é🙂', moved(1, 7), { b: 2 }]);
      }
    },
  );

  test('[CLI2] in a request over several lines, places are those of the input', async () => {
    const text = '{\n  "a": 1\n}\n  {"a": 1,\n "a": 2}\n';
    for (const size of [1, 65_536])
      expect(shown(await read(text, size))).toEqual([{ a: 1 }, '5:2 a duplicate-key']);
  });
});

describe('limits', () => {
  const line = (bytes: number) => `{"a":1${' '.repeat(bytes - 7)}}`;

  test('[CLI2] a line at the limit is read, one above is answered and skipped', async () => {
    const most = limits.requestLineBytes;
    const codes = async (input: string, size: number) =>
      (await read(input, size)).map((item) => (item.ok ? 'ok' : faultsOf(item)));
    for (const size of [4_096, 3_000_000]) {
      const input = `{"a":1}\n${line(most)}\n${line(most + 1)}\n{"a":2}\n`;
      expect(await codes(input, size)).toEqual(['ok', 'ok', '3 limit', 'ok']);
      expect(await codes(`${line(most + 1)}\n{"a":2}\n`, size)).toEqual(['1 limit', 'ok']);
    }
  });

  test('[CLI2] an array may be longer than a line, its elements may not', async () => {
    const long = Array.from({ length: 50_000 }, (_, i) => ({ number: i, text: 'some text that takes room' }));
    const text = JSON.stringify(long);
    expect(text.length).toBeGreaterThan(2 * limits.requestLineBytes);
    expect(await shape(text)).toEqual(long);
    expect(await shape(`[{"a":1},${line(limits.requestLineBytes + 1)},{"a":2}]`)).toEqual([
      { a: 1 },
      '1 limit',
      { a: 2 },
    ]);
  });
});

describe('streaming', () => {
  test('[CLI3] a line is answered before the next one is asked for', async () => {
    let asked = 0;
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 5; i++) {
        asked++;
        yield Buffer.from(`{"a":${i}}\n`);
      }
    }
    const answered: number[] = [];
    for await (const batch of readRequests('in', slow())) if (batch.length > 0) answered.push(asked);
    expect(answered).toEqual([1, 2, 3, 4, 5]);
  });

  test('[CLI3] a broken first line does not hold the stream', async () => {
    let asked = 0;
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 4; i++) {
        asked++;
        yield Buffer.from(i === 0 ? '{"a":\n' : `{"a":${i}}\n`);
      }
    }
    let first = 0;
    for await (const batch of readRequests('in', slow())) if (batch.length > 0 && first === 0) first = asked;
    expect(first).toBe(2);
  });
});
