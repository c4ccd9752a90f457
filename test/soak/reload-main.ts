import { gc } from './gc.ts';
import { reloads } from './reload.ts';

/** `npm run soak:reload`: ten thousand reloads leave nothing behind (SPEC LIVE11). */
const count = Number(process.argv[2] ?? 10_000);
const most = 1_024;

const start = performance.now();
const { slope, heap, rss } = await reloads(count, gc);
const seconds = (performance.now() - start) / 1_000;
const megabytes = (values: readonly number[]): string =>
  values.map((value) => (value / 1e6).toFixed(1)).join(' ');
console.log(`${count} reloads in ${seconds.toFixed(0)} s`);
console.log(`heap after collection, MB: ${megabytes(heap)}`);
console.log(`resident, MB: ${megabytes(rss)}`);
console.log(`each reload of the last half leaves ${slope.toFixed(0)} bytes, want at most ${most}`);
process.exitCode = slope <= most ? 0 : 1;
