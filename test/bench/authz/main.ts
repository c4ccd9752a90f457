import { loadavg } from 'node:os';
import { writePart } from '../results.ts';
import { directly, turn, wanted } from './direct.ts';
import { throughEnvoy } from './envoy.ts';
import { worlds } from './worlds.ts';

/**
 * What ext_authz makes of a core, asked directly and through an Envoy: `node test/bench/authz/main.ts [direct|envoy]`,
 * with --write into RESULTS.md.
 */
const size = 10_000;
const clients = 32;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4);
const questions = 100;

const words = process.argv.slice(2);
const both = !words.includes('direct') && !words.includes('envoy');
const S = await worlds.S(size, questions, clients);
const A = await worlds.A(size, questions, clients);
const node = `Node ${process.versions.node}`;
const command = '`node test/bench/authz/main.ts --write`';

async function part(
  name: string,
  measured: () => Promise<readonly string[]>,
  how: (load: string) => string,
): Promise<void> {
  const load = loadavg()[0]!.toFixed(1);
  const lines = await measured();
  console.log(lines.join('\n'), `\nload before: ${load}\n`);
  if (words.includes('--write')) writePart(name, how(load), lines);
}

if (both || words.includes('direct'))
  await part(
    'authz',
    () => directly({ S, A }, { size, clients, rounds }),
    (load) =>
      `Measured with ${node} by ${command}: one core for the server, ghz with ${clients} clients on the other, ${size} rules, ${rounds} rounds of servers in processes of their own, each asked ${turn.times} times for ${turn.seconds} s, in turns; medians over the turns, and of a turn beside the ceiling's. The load of the machine was ${load} before it began. To reach: ${wanted.rate} × the ceiling's calls/s, p99 at most ${wanted.p99} ×.`,
  );
if (both || words.includes('envoy'))
  await part(
    'authz-envoy',
    () => throughEnvoy({ S, A }, { rounds, seconds }),
    (load) =>
      `Measured with Envoy 1.40.0 and ${node} by ${command}, after what is above: one Envoy with one worker and whom it asks together on one core, ${clients} clients of Node's on the other, each with a certificate and an mTLS connection of its own that stays open, ${size} rules, the median of ${rounds} alternating rounds of ${seconds} s; the load of the machine was ${load} before it began.`,
  );
