import { AdminFailure, fetchDump } from '../../envoy/verify/admin.ts';
import { chooseChains } from '../../envoy/verify/choose.ts';
import type { Destination } from '../../envoy/verify/evidence.ts';
import { verifyLimits } from '../../envoy/verify/limits.ts';
import { resourcesOf } from '../../envoy/verify/resources.ts';
import { isSound, verifyChain } from '../../envoy/verify/verify.ts';
import { findDataplane, type Inventory } from '../../pdp/model/inventory.ts';
import { readPaths } from '../../policy/files.ts';
import { withMesh } from '../conf/pick.ts';
import { engineOf } from '../engine.ts';
import { words } from '../export/flags.ts';
import { exit, Failure } from '../failure.ts';
import { type PolicySet, soundSet } from '../set.ts';
import { showVerified, verifiedJson } from '../show/verified.ts';
import { showViolations } from '../show/violations.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { toJson } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';
import { word } from '../word.ts';

export interface VerifyFlags {
  readonly policies?: readonly string[];
  readonly dataplane?: string;
  readonly inbound?: string;
  readonly service?: string;
  readonly config?: readonly string[];
  readonly admin?: string;
  readonly listener?: string;
  readonly shadow?: string;
  readonly attributes?: string;
  readonly maxRequests?: string;
  readonly json?: boolean;
}

export async function verifyEnvoy(terminal: Terminal, flags: VerifyFlags): Promise<number> {
  const most = mostOf(flags.maxRequests);
  const shadow = comparesShadow(flags.shadow);
  const tokens = comesWithTokens(flags);
  if (flags.dataplane === undefined && flags.service === undefined)
    throw new Failure(
      exit.usage,
      'no dataplane was given',
      'name one: --dataplane <mesh/name>, or --service <namespace/name>',
    );
  if ((flags.config === undefined) === (flags.admin === undefined)) {
    throw new Failure(
      exit.usage,
      'which configuration is meant?',
      'give one of --config FILE and --admin URL',
    );
  }
  const set = await soundSet(flags.policies, terminal);
  const destination = destinationOf(set, flags);
  const ports = portsOf(destination, set.loaded.inventory);
  const documents =
    flags.admin === undefined ? await readConfig(flags.config ?? [], terminal) : [await ask(flags.admin)];
  const resources = resourcesOf(documents);
  const choice = chooseChains(resources, flags.listener, ports);
  if (choice.chains === undefined) {
    const listeners = choice.listeners.slice(0, 20).join('; ');
    throw new Failure(
      exit.problems,
      choice.message,
      listeners === '' ? undefined : `name one with --listener: ${listeners}`,
    );
  }
  const reports = choice.chains.map((chain) =>
    verifyChain(chain, resources, {
      ...verifying(set),
      destination,
      shadow,
      tokens,
      most,
      comparisons: verifyLimits.comparisons,
    }),
  );
  const { out } = terminal;
  if (flags.json) await out.line(toJson(verifiedJson(reports, set.loaded.snapshot)));
  else for (const line of showVerified(reports, palette(out))) await out.line(line);
  return reports.length > 0 && reports.every(isSound) ? exit.ok : exit.problems;
}

function verifying(set: PolicySet) {
  const engine = engineOf(set);
  const { rules, inventory } = set.loaded;
  return { rules, inventory, decide: engine.decide.bind(engine) };
}

function mostOf(text: string | undefined): number {
  if (text === undefined) return verifyLimits.requests;
  const most = Number(text);
  if (!Number.isInteger(most) || most < 1 || most > verifyLimits.requestsAsked) {
    throw new Failure(
      exit.usage,
      `--max-requests ${text}: not a number of requests`,
      `a whole number from 1 to ${verifyLimits.requestsAsked}`,
    );
  }
  return most;
}

const asExported = 'give the one that it was exported with';

/** The papers' own shadows say something else than the policies do: with them only what is enforced is compared. */
function comparesShadow(text: string | undefined): boolean {
  return word('--shadow', text, words['--shadow'], asExported) !== 'paper';
}

/** Whether what was exported reads attributes out of exchange tokens, which are for services. */
function comesWithTokens({ attributes, dataplane, service }: VerifyFlags): boolean {
  const source = word('--attributes', attributes, words['--attributes'], asExported);
  if (dataplane !== undefined && service !== undefined)
    throw new Failure(exit.usage, 'only one thing is verified at a time', 'give --dataplane or --service');
  if (source === 'jwt' && service === undefined)
    throw new Failure(
      exit.usage,
      '--attributes jwt: tokens are for services',
      'give --service namespace/name',
    );
  return source === 'jwt';
}

function destinationOf(
  set: PolicySet,
  { dataplane: named = '', inbound, service }: VerifyFlags,
): Destination {
  if (service !== undefined) {
    if (inbound !== undefined)
      throw new Failure(exit.usage, '--inbound is an inbound of a dataplane', 'give --dataplane mesh/name');
    return { service };
  }
  const dataplane = withMesh(set, named);
  const slash = dataplane.indexOf('/');
  if (slash < 1 || slash === dataplane.length - 1)
    throw new Failure(exit.usage, `--dataplane ${dataplane}: no dataplane`, 'it is written mesh/name');
  const found = { mesh: dataplane.slice(0, slash), dataplane: dataplane.slice(slash + 1) };
  return inbound === undefined ? found : { ...found, inbound };
}

/** Of a service nobody says where it listens. */
function portsOf(destination: Destination, inventory: Inventory): readonly number[] {
  if ('service' in destination) {
    if (inventory.services.has(destination.service)) return [];
    throw new Failure(
      exit.problems,
      `there is no service ${destination.service}`,
      'its Service document is not among the policies',
    );
  }
  const { mesh, dataplane, inbound } = destination;
  const proxy = findDataplane(inventory, mesh, dataplane);
  if (proxy === undefined) {
    const hint = 'its Dataplane document is not among the policies';
    throw new Failure(exit.problems, `there is no dataplane ${mesh}/${dataplane}`, hint);
  }
  const meant = proxy.inbounds.filter(
    ({ name, port }) => inbound === undefined || name === inbound || String(port) === String(inbound),
  );
  if (meant.length === 1 || (meant.length > 1 && inbound !== undefined)) return meant.map(({ port }) => port);
  const all = proxy.inbounds.map(({ name, port }) => name ?? port).join(', ');
  throw new Failure(
    exit.problems,
    meant.length === 0
      ? `${mesh}/${dataplane} has no inbound ${inbound ?? ''}`.trimEnd()
      : `${mesh}/${dataplane} has ${count(meant.length, 'inbound')}`,
    all === '' ? undefined : `name one with --inbound: ${all}`,
  );
}

async function readConfig(files: readonly string[], terminal: Terminal): Promise<unknown[]> {
  const { documents, cases, violations } = readPaths(files);
  if (violations.length > 0) {
    await showViolations(terminal.err, violations, 'error');
    throw new Failure(exit.problems, `the configuration has ${count(violations.length, 'problem')}`);
  }
  return [...documents, ...cases].map(({ value }) => value);
}

async function ask(admin: string): Promise<unknown> {
  try {
    return await fetchDump(admin);
  } catch (error) {
    if (!(error instanceof AdminFailure)) throw error;
    throw new Failure(
      exit.problems,
      `${admin}: ${error.message}`,
      'the admin interface of Envoy, such as http://127.0.0.1:9901',
    );
  }
}
