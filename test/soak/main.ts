import { soak } from './service.ts';

/** `npm run soak`: ten minutes at full load, and not one wrong decision (SPEC RUN6). */
const minutes = Number(process.argv[2] ?? 10);
/** Some growth is the engine's own; a leak at full load is far more. */
const mostGrowth = 0.05;

const { replies, shed, lost, others, reloads, rss, growth, lines, same, wrong } = await soak(
  minutes * 60_000,
  0.02,
);
const some = rss.filter((_, i) => i % Math.ceil(rss.length / 20) === 0);
console.log(`${replies} decisions in ${minutes} minutes, ${reloads} reloads`);
console.log(`resident, MB: ${some.map((value) => (value / 1e6).toFixed(0)).join(' ')}`);
console.log(`growth ${(growth * 100).toFixed(1)} % in as long again, want at most ${mostGrowth * 100} %`);
console.log(`${lost.length} requests lost, ${shed} turned away, other answers: ${others.length}`);
console.log(`${lines} decisions written down, ${same} the same when decided again, ${wrong} wrong`);
const good = growth <= mostGrowth && lost.length === 0 && wrong === 0 && lines > 0 && others.length === 0;
process.exitCode = good ? 0 : 1;
