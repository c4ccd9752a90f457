import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs, styleText } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { envoyPath } from '../../src/envoy/binary/envoy-path.ts';
import { open } from '../../src/index.ts';
import type { Logged } from '../../test/support/envoy/modes.ts';
import { cast, type Scene } from './cast.ts';
import { policies, raise, type Stage } from './stage.ts';

/**
 * `npm run demo:envoy`: policies exported into a real Envoy, requests over real mTLS, and what became of each, beside
 * what the PDP says of it. It stays until Ctrl-C where a person is watching, or with `--stay`.
 */

const { values: flags } = parseArgs({ options: { stay: { type: 'boolean' } } });
const placet = open(
  parseAllDocuments(readFileSync(new URL('policies.yaml', import.meta.url), 'utf8')).map((one) => one.toJS()),
);
const paint = (style: Parameters<typeof styleText>[0], text: string) =>
  process.stdout.isTTY ? styleText(style, text) : text;
const effect = (verdict: string) => paint(verdict === 'allow' ? 'green' : 'red', verdict.padEnd(5));

function pdpOf({ uris, method, path }: Scene) {
  const source = uris.length === 0 ? {} : { source: { spiffeId: uris.join(',') } };
  const decision = placet.decide({
    ...source,
    destination: { mesh: 'shop', dataplane: 'orders-1' },
    request: { method, path },
  });
  const { by, shadow, shadowBy } = decision;
  return {
    verdict: decision.decision,
    shadow,
    by: by?.policy ?? decision.reason,
    shadowBy: shadowBy?.policy,
  };
}

/** The last part of a KRI that is not empty is the policy's name. */
const nameOf = (policy: string | null) => (policy ?? 'default').replace(/_$/, '').split('_').at(-1) ?? '';

function told(scene: Scene, logged: Logged | undefined): { line: string; agrees: boolean } {
  const pdp = pdpOf(scene);
  const verdict = logged?.status === 200 ? 'allow' : 'deny';
  const shadow =
    logged?.shadow === null || logged === undefined
      ? verdict
      : logged.shadow === 'allowed'
        ? 'allow'
        : 'deny';
  const by = logged === undefined ? 'TLS handshake' : nameOf(logged.policy);
  const remark = shadow === verdict ? '' : `, in the shadow ${effect(shadow).trim()}`;
  // What TLS refuses is no request for a PDP: it never saw a certificate that holds.
  const agrees = logged === undefined || (verdict === pdp.verdict && shadow === pdp.shadow);
  const said =
    logged === undefined
      ? ''
      : agrees
        ? ', and so says the PDP'
        : paint('red', ', but the PDP says otherwise');
  const request = `${scene.who.padEnd(10)} ${scene.method.padEnd(4)} ${scene.path.padEnd(18)}`;
  return {
    line: `  ${effect(verdict)} ${request} by ${by}${remark}\n        ${paint('dim', `${scene.because}${said}`)}`,
    agrees,
  };
}

async function perform(stage: Stage, scenes: readonly Scene[], interrupted: AbortSignal): Promise<number> {
  let differing = 0;
  for (const scene of scenes) {
    if (interrupted.aborted) break;
    const { line, agrees } = told(scene, await stage.play(scene));
    if (!agrees) differing++;
    console.log(line);
  }
  return differing;
}

/** Ctrl-C, or whoever ends us: whatever stands is taken down first. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

async function until(interrupted: AbortSignal): Promise<void> {
  if (interrupted.aborted) return;
  // A process with nothing to wait for would end.
  const timer = setInterval(() => undefined, 60_000);
  await once(interrupted, 'abort');
  clearInterval(timer);
}

async function main(): Promise<number> {
  const interrupted = interruption();
  await envoyPath(process.env, (line) => console.error(line));
  const { scenes, ...rest } = await cast();
  const stage = await raise({ scenes, ...rest });
  try {
    console.log(`${policies}, as a bootstrap of ${(stage.bytes / 1000).toFixed(0)} kB for a real Envoy:`);
    console.log(`  ${stage.command}\n`);
    console.log('Twelve requests over mTLS, each with a certificate of its own:\n');
    const differing = await perform(stage, scenes, interrupted);
    console.log(`\n${scenes.length} requests, ${differing} decided otherwise than by the PDP`);
    if (flags.stay || (process.stdin.isTTY && process.stdout.isTTY)) {
      const client = `--cert ${stage.folder}/web.pem --key ${stage.folder}/web-key.pem`;
      console.log(
        `\nIt goes on until Ctrl-C. Ask it yourself:\n  curl -k ${client} https://127.0.0.1:${stage.port}/orders/7`,
      );
      await until(interrupted);
      console.log('\nended; nothing is left behind');
    }
    return differing === 0 ? 0 : 1;
  } finally {
    await stage.clear();
  }
}

process.exit(await main());
