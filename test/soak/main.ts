import { parseArgs } from 'node:util';
import { slopeOf } from './reload.ts';
import { soak } from './service.ts';

/** `npm run soak`: full load for ten minutes, and not one wrong decision (SPEC RUN6). */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    workers: { type: 'string', default: '2' },
    clients: { type: 'string', default: '2' },
  },
});
const minutes = Number(values.minutes);
/** Some growth is the engine's own; a leak at full load is far more. */
const mostGrowth = 0.05;
/** Connections come and go with what is refused. */
const mostDescriptors = 8;

const plan = { workers: Number(values.workers), clients: Number(values.clients), fileBytes: 104_857_600 };
const { got, reloads, held, decided, dropped, files, replayed } = await soak({
  ...plan,
  milliseconds: minutes * 60_000,
});

const resident = held.map((one) => one.resident);
const half = resident.slice(resident.length / 2);
const mean = half.reduce((sum, value) => sum + value, 0) / half.length;
const growth = (slopeOf(half) * half.length) / mean;
const highest = (from: number, to: number) =>
  Math.max(...held.slice(held.length * from, held.length * to).map((one) => one.descriptors));
const [early, late] = [highest(0.25, 0.5), highest(0.75, 1)];
const { lines = 0, same = 0, different = 0, otherSnapshot = 0, refused = 0 } = replayed;

const checks: readonly (readonly [boolean, string])[] = [
  [got.wrong === 0, `${got.wrong} of ${got.replies} replies other than wanted, ${got.shed} turned away`],
  [got.decisions === decided, `${got.decisions} decisions came, the service counts ${decided}`],
  [lines === decided - dropped, `${lines} of them in ${files} files of the log, ${dropped} dropped`],
  [
    lines > 0 && same === lines - refused && different + otherSnapshot === 0,
    `${same} the same when decided again, ${different} different, ${otherSnapshot} by no set that was there, ${refused} refused before policies were asked`,
  ],
  [
    growth <= mostGrowth,
    `memory of the last half grows by ${(growth * 100).toFixed(1)} % in as long again, want at most ${mostGrowth * 100} %`,
  ],
  [late <= early + mostDescriptors, `${early} descriptors in the second quarter, ${late} in the last`],
];

const some = resident.filter((_, i) => i % Math.ceil(resident.length / 20) === 0);
const perSecond = Math.round(got.decisions / (minutes * 60));
console.log(
  `${minutes} minutes, ${plan.workers} workers, ${plan.clients} client processes, ${reloads} changes`,
);
console.log(`${perSecond} decisions a second`);
console.log(`resident, MB: ${some.map((value) => (value / 1e6).toFixed(0)).join(' ')}`);
for (const [good, words] of checks) console.log(`${good ? 'ok ' : 'NOT'} ${words}`);
for (const words of got.words) console.log(`    ${words}`);
process.exitCode = checks.every(([good]) => good) ? 0 : 1;
