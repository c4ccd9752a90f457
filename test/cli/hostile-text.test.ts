import { expect, test } from 'vitest';
import { run } from './world.ts';

const hostile = 'a\u009b31m\u202e\u2028z';
const shown = 'a\\u{9b}31m\\u{202e}\\u{2028}z';
const escaped = 'a\\u009b31m\\u202e\\u2028z';
const request = JSON.stringify({ destination: { service: 'shop/pay' }, [hostile]: 1 });

test.each([
  ['a failure', ['decide', '--policies', 'policies', '--as-caller', hostile, '--service', 'a/b']],
  ['a command line that is not understood', ['decide', `--${hostile}`]],
])('[CLI8] what %s repeats is shown, not sent', async (_, args) => {
  const { code, err } = await run(args);
  expect(code).toBe(2);
  expect(err).toContain(shown);
  expect(err).not.toContain(hostile);
});

test.each(['decide', 'explain'])(
  '[CLI8] %s shows what a request writes, and escapes it in JSON',
  async (command) => {
    const args = [command, '--policies', 'policies', '--request', '-'];
    const text = await run(args, request);
    expect(text.out).toContain(shown);
    const json = await run([...args, '--json'], request);
    expect(json.out).toContain(escaped);
    expect(text.out + json.out).not.toMatch(/[\u009b\u202e\u2028]/);
  },
);

test.each(['check', 'test', 'lint', 'attributes'])('[CLI8] %s --json escapes too', async (command) => {
  const { out, err } = await run([command, '--json', hostile]);
  expect(out + err).not.toMatch(/[\u009b\u202e\u2028]/);
});
