import { isAttribute, kindOfKey } from '../attribute-keys.ts';
import { exit } from '../failure.ts';
import { type PolicySet, soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { count } from '../terminal/wrap.ts';

interface Use {
  readonly values: Set<string>;
  workloads: number;
  rules: number;
}

export interface KeyReport {
  readonly key: string;
  readonly scope: string;
  readonly sources: string;
  /** Different values that workloads, services and this site have. */
  readonly values: number;
  readonly workloads: number;
  /** Of all workloads, those that have it: 0 to 1, null where there are none. */
  readonly share: number | null;
  /** Rules that read it. */
  readonly rules: number;
}

function report({ loaded }: PolicySet): KeyReport[] {
  const uses = new Map<string, Use>();
  const use = (key: string): Use => {
    const found = uses.get(key) ?? { values: new Set(), workloads: 0, rules: 0 };
    uses.set(key, found);
    return found;
  };
  const { workloads, services, site } = loaded.inventory;
  for (const { attributes, spiffeId } of workloads) {
    // A workload has its site's attributes too.
    const all = new Map([...site.attributes, ...attributes]);
    if (spiffeId !== undefined) all.set('spiffe:id', spiffeId);
    for (const [key, value] of all) {
      use(key).workloads++;
      use(key).values.add(value);
    }
  }
  for (const { attributes } of [...services.values(), site]) {
    for (const [key, value] of attributes) use(key).values.add(value);
  }
  for (const rule of loaded.rules) {
    for (const key of new Set(rule.when.map((condition) => condition.key))) use(key).rules++;
  }
  return [...uses]
    .filter(([key]) => isAttribute(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { values, workloads: have, rules }]) => ({
      key,
      ...kindOfKey(key),
      values: values.size,
      workloads: have,
      share: workloads.length === 0 ? null : have / workloads.length,
      rules,
    }));
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(100 * share)} %`;
}

export async function attributes(
  terminal: Terminal,
  paths: readonly string[],
  flags: { json?: boolean },
): Promise<number> {
  const set = await soundSet(paths, terminal, flags);
  const keys = report(set);
  const { out } = terminal;
  if (flags.json) {
    await out.line(toJson({ workloads: set.loaded.inventory.workloads.length, keys }));
    return exit.ok;
  }
  const rows = keys.map(({ key, scope, sources, values, share, rules }) => [
    printable(key),
    scope,
    sources,
    String(values),
    percent(share),
    String(rules),
  ]);
  const columns = [
    { title: 'KEY' },
    { title: 'SCOPE' },
    { title: 'POSSIBLE SOURCES', flexible: true },
    { title: 'VALUES', right: true },
    { title: 'WORKLOADS', right: true },
    { title: 'RULES', right: true },
  ];
  const total = count(set.loaded.inventory.workloads.length, 'workload');
  const footer = palette(out).dim(`${count(keys.length, 'key')}, ${total}; RULES: rules that read the key`);
  await out.line([...table(columns, rows, out.columns), '', footer].join('\n'));
  return exit.ok;
}
