import type { Figures } from './one.ts';
import type { Compared } from './peers/compare.ts';
import { growthTarget, heapTarget, nodesTarget, peerTargets, ratioTarget } from './targets.ts';

/** One target and whether it was reached. */
export interface Verdict {
  readonly what: string;
  readonly reached: boolean;
}

export function verdicts(figures: readonly Figures[], compared: readonly Compared[]): Verdict[] {
  return [
    ...figures.flatMap(ratioVerdict),
    ...growth(figures).map(({ what, reached }) => ({ what, reached })),
    ...figures.flatMap(boundVerdicts),
    ...peerVerdicts(compared),
  ];
}

function ratioVerdict({ workload, size, ratio }: Figures): Verdict[] {
  const target = ratioTarget(workload, size);
  if (target === undefined) return [];
  const what = `${workload} at ${count(size)}: ${ratio.median.toFixed(2)} × JSON.parse, wanted ${target}`;
  return [{ what, reached: ratio.median >= target }];
}

function boundVerdicts({ workload, size, nodes, heapMb }: Figures): Verdict[] {
  if (size !== 100_000) return [];
  const heap = `heap of ${workload} at 100k: ${heapMb.toFixed(0)} MB, wanted at most ${heapTarget}`;
  const visited = `nodes visited for S at 100k: at most ${nodes.high}, wanted at most ${nodesTarget}`;
  return [
    { what: heap, reached: heapMb <= heapTarget },
    ...(workload === 'S' ? [{ what: visited, reached: nodes.high <= nodesTarget }] : []),
  ];
}

function growth(figures: readonly Figures[]): (Verdict & { readonly cells: string[] })[] {
  return figures.flatMap((large) => {
    const small = figures.find((one) => one.workload === large.workload && one.size === 10_000);
    if (large.size !== 100_000 || small === undefined) return [];
    const open = large.openMs / small.openMs;
    const compile = large.compileMs / small.compileMs;
    return [
      {
        what: `growth of ${large.workload}: opening ×${open.toFixed(1)}, compiling ×${compile.toFixed(1)}, wanted at most ×${growthTarget}`,
        reached: Math.max(open, compile) <= growthTarget,
        cells: [large.workload, `×${open.toFixed(1)}`, `×${compile.toFixed(1)}`],
      },
    ];
  });
}

export function table(figures: readonly Figures[]): string[] {
  const rows = figures.map((one) => {
    const target = ratioTarget(one.workload, one.size);
    const reached = target === undefined ? '' : one.ratio.median >= target ? ' yes' : ' **no**';
    return [
      one.workload,
      count(one.size),
      rate(one.perSec.median),
      rate(one.yardstick.median),
      `${one.ratio.median.toFixed(2)} (${one.ratio.low.toFixed(2)}–${one.ratio.high.toFixed(2)})`,
      target === undefined ? '' : `${target}${reached}`,
      `${one.nodes.median} / ${one.nodes.high}`,
      String(one.bytes),
      milliseconds(one.openMs),
      milliseconds(one.compileMs),
      `${one.heapMb.toFixed(1)} MB`,
      `${Math.round((100 * one.allowed) / Math.max(1, one.checked))} %`,
    ];
  });
  return markdown(
    [
      '',
      'rules',
      'decisions/s',
      'JSON.parse/s',
      'ratio (spread)',
      'target',
      'nodes, median / most',
      'bytes each',
      'open',
      'compile',
      'heap',
      'allowed',
    ],
    rows,
  );
}

export function growthLines(figures: readonly Figures[]): string[] {
  const rows = growth(figures);
  if (rows.length === 0) return [];
  const heads = ['from 10k to 100k rules', 'open', 'compile'];
  return [
    '',
    ...markdown(
      heads,
      rows.map((one) => one.cells),
    ),
  ];
}

export function peerLines(compared: readonly Compared[]): string[] {
  if (compared.length === 0) return [];
  const rows = compared.map((one) => [
    one.workload,
    count(one.size),
    one.peer,
    rate(one.perSec.median),
    one.peer === 'placet' ? '' : `×${one.faster.toFixed(one.faster < 10 ? 1 : 0)}`,
    milliseconds(one.loadMs),
    `${one.retainedMb.toFixed(1)} MB`,
    `${one.residentMb.toFixed(0)} MB`,
    one.peer === 'placet' ? '' : one.memory.toFixed(2),
    `${one.agreed} of ${one.agreed}`,
  ]);
  const heads = [
    '',
    'rules',
    'engine',
    'decisions/s',
    'Placet is faster by',
    'load',
    'kept',
    'resident',
    "Placet's memory over its",
    'agreed',
  ];
  const judged = peerVerdicts(compared).map(
    ({ what, reached }) => `- ${what}: ${reached ? 'yes' : '**no**'}`,
  );
  return [...markdown(heads, rows), '', ...judged];
}

function peerVerdicts(compared: readonly Compared[]): Verdict[] {
  return peerTargets.flatMap(({ workload, size, peer, faster, memory }) => {
    const one = compared.find((row) => row.workload === workload && row.size === size && row.peer === peer);
    if (one === undefined) return [];
    const where = `${workload} at ${count(size)} against ${peer}`;
    if (faster !== undefined) {
      return [
        { what: `${where}: ×${one.faster.toFixed(1)}, wanted ×${faster}`, reached: one.faster >= faster },
      ];
    }
    const wanted = memory ?? 1;
    const what = `${where}: ${one.memory.toFixed(3)} of its memory, wanted ${wanted}`;
    return [{ what, reached: one.memory <= wanted }];
  });
}

export function markdown(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)];
}

export const count = (size: number): string => (size >= 1_000 ? `${size / 1_000}k` : String(size));

function rate(perSec: number): string {
  if (perSec >= 1e6) return `${(perSec / 1e6).toFixed(2)}M`;
  return perSec >= 1e3 ? `${(perSec / 1e3).toFixed(1)}k` : perSec.toFixed(0);
}

export function milliseconds(ms: number): string {
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(2)} s` : `${ms.toFixed(0)} ms`;
}
