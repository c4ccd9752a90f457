import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect } from 'vitest';
import { live } from '../../../live.ts';
import type { Certificate } from '../../../support/certificates/index.ts';
import { askHttp } from '../../../support/envoy/http-client.ts';
import { openLab } from '../../../support/envoy/lab.ts';
import { grpcCluster, type ListenerSpec, socketOf } from '../../../support/envoy/listeners.ts';
import { envoyMissing } from '../../../support/envoy/program.ts';
import { temporary } from '../../../support/envoy/temporary.ts';
import { spiffeBundles } from '../../../support/envoy/trust.ts';
import { question } from '../../service/grpc.ts';
import type { Flooded } from './flood.ts';
import { asking, certificateFor, friend, serveShop, stranger, td, web } from './world.ts';

/**
 * A service that has more to do than it can, and those who ask through an Envoy meanwhile. What fills it are calls that
 * cost much more to answer than to refuse: each has a certificate that was not seen before, and has to be verified.
 */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** More than anybody remembers. */
const strangers = 6_000;

/** The same certificate with another signature each: it takes a look at that to see that nobody made it. */
function forged({ leaf }: Certificate, n: number): string {
  const der = Buffer.from(leaf.raw);
  der.writeUInt16BE((der.readUInt16BE(der.length - 2) + n + 1) & 0xffff, der.length - 2);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

interface Found {
  /** Milliseconds that a friend waited, by the status that it got. */
  readonly waited: Map<number, number[]>;
  readonly flooded: Flooded;
}

async function flooded(limits: object, enough: (waited: Found['waited']) => boolean): Promise<Found> {
  const placet = await serveShop({}, { limits, log: { to: 'none' } });
  closing.push(() => placet.close());
  const trust = spiffeBundles(await td());
  // How long an answer takes is what is asked here, so that Envoy does not end it.
  const spec: ListenerSpec = { name: 'web', kind: 'http', filters: [asking({}, '60s')], trust };
  const lab = await openLab([spec], { clusters: [grpcCluster('placet', placet.port)] });
  closing.push(() => lab.stop());
  const ask = async (certificate: Certificate) => {
    const since = performance.now();
    const codes = await askHttp({ path: socketOf(lab.envoy.folder, 0) }, { certificate }, [{ id: 'x' }]);
    return { code: codes?.[0] ?? 0, took: performance.now() - since };
  };
  const [good, bad] = [await certificateFor(friend), await certificateFor(stranger)];
  expect([(await ask(good)).code, (await ask(bad)).code]).toEqual([200, 403]);

  const folder = temporary();
  closing.push(() => folder.remove());
  const file = join(folder.path, 'messages');
  const messages = Array.from({ length: strangers }, (_, n) =>
    question(web, { ...bad, chain: forged(bad, n) }),
  );
  writeFileSync(file, JSON.stringify(messages.map((one) => Buffer.from(one).toString('base64'))));
  const args = [join(import.meta.dirname, 'flood.ts'), `${placet.port}`, '8', '100', file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  closing.push(() => child.kill('SIGKILL'));
  await once(child.stdout, 'readable');
  const output = text(child.stdout);

  const waited: Found['waited'] = new Map();
  const until = Date.now() + 60_000;
  const clients = Array.from({ length: 3 }, async () => {
    while (!enough(waited) && Date.now() < until) {
      const { code, took } = await ask(good);
      waited.set(code, [...(waited.get(code) ?? []), took]);
      expect((await ask(bad)).code).toBe(403);
    }
  });
  await Promise.all(clients);
  child.kill('SIGTERM');
  const [, line = ''] = (await output).split('\n');
  // Then all is as it was before.
  for (let n = 0; n < 10; n++) expect([(await ask(good)).code, (await ask(bad)).code]).toEqual([200, 403]);
  return { waited, flooded: JSON.parse(line) as Flooded };
}

function at(share: number, all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[Math.floor(all.length * share)] ?? Number.NaN;
}

describe('overload', () => {
  live(
    envoyMissing,
    '[AUTHZ20] it is shed before everybody waits for all others: who gets an answer gets it soon',
    async () => {
      const all = await flooded(
        { concurrency: 1_000_000, turn: 60 },
        (waited) => (waited.get(200)?.length ?? 0) >= 3,
      );
      const shed = await flooded({ concurrency: 20 }, (waited) => (waited.get(200)?.length ?? 0) >= 10);
      expect(Object.keys(all.flooded.statuses)).toEqual(['0']);
      expect([...all.waited.keys()]).toEqual([200]);
      expect(Object.keys(shed.flooded.statuses).sort()).toEqual(['0', '14']);
      expect([...shed.waited.keys()].filter((code) => code !== 200 && code !== 403)).toEqual([]);
      const usual = at(0.5, all.waited.get(200) ?? []);
      const [allowed, sent] = [200, 403].map((code) => shed.waited.get(code) ?? []) as [number[], number[]];
      const rounded = (times: readonly number[]) => [0.5, 0.95].map((share) => Math.round(at(share, times)));
      console.log(`without a bound ${Math.round(usual)} ms; with one, p50 and p95 of`, {
        allowed: [allowed.length, ...rounded(allowed)],
        denied: [sent.length, ...rounded(sent)],
        flood: shed.flooded.statuses,
      });
      // Those who are let in, and those who are sent away; one of many may come when the machine does something else.
      expect(at(0.95, [...allowed, ...sent])).toBeLessThan(usual / 2);
      expect(at(0.5, allowed)).toBeLessThan(usual / 2);
    },
    240_000,
  );
});
