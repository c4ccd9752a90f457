import { monitorEventLoopDelay } from 'node:perf_hooks';
import { channelOf } from '../../src/pdp/model/request.ts';
import { generators } from '../bench/workloads/index.ts';
import { open, temporary } from '../gateway/live/opening.ts';

/**
 * `npm run soak:pause`: for how long a reload of many policies keeps requests waiting. Told in time of the clock,
 * which others on the machine add to, and in time that the deciding thread itself spent in one turn.
 */
const size = Number(process.argv[2] ?? 10_000);
const reloads = 5;
const files = 20;

const { documents, requests } = generators.A(size, 2_000);
const folder = temporary();
const texts = Array.from({ length: files }, (_, file) =>
  JSON.stringify(documents.filter((_, i) => i % files === file)),
);
for (const [i, text] of texts.entries()) folder.put(`${i}.json`, text);
const opened = await open(folder.path);
const parsed = requests.map((text) => JSON.parse(text) as unknown);
const channel = channelOf('assert');
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

let over = false;
let asked = 0;
let spent = 0;
let before = process.threadCpuUsage();
(function turn(): void {
  const now = process.threadCpuUsage();
  spent = Math.max(spent, (now.user + now.system - before.user - before.system) / 1_000);
  before = now;
  for (let i = 0; i < 100; i++) opened.live.current()!.decide(parsed[asked++ % parsed.length], channel);
  if (!over) setImmediate(turn);
})();

for (let i = 0; i < reloads; i++) {
  delay.reset();
  spent = 0;
  const reloaded = opened.reload();
  folder.put('1.json', texts[1]!.replace(/"(allow|deny)"/, i % 2 === 0 ? '"deny"' : '"allow"'));
  const { milliseconds, paused } = await reloaded;
  console.log(
    `reload of ${size} policies: ${milliseconds.toFixed(0)} ms in its thread; longest delay ${(delay.max / 1e6).toFixed(1)} ms, of which this thread worked ${spent.toFixed(1)} ms in one turn, ${paused.toFixed(1)} ms by the clock for the new set`,
  );
}
over = true;
await opened.live.close();
folder.remove();
