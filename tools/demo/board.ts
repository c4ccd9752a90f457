import { styleText } from 'node:util';
import { table } from '../../src/cli/terminal/table.ts';
import { modes } from '../../src/envoy/export/modes.ts';
import type { Scene } from '../demo-envoy/cast.ts';
import type { Outcome, Verdict } from './stage.ts';

/** What everybody said, as a table. */

const columns = ['', 'request', 'PDP', ...modes, 'by'].map((title) => ({ title }));
const room = 120;

export function board(scenes: readonly Scene[], outcomes: readonly Outcome[]): string[] {
  const rows = scenes.map(({ who, method, path }, at) => {
    const { pdp, envoys } = outcomes[at] as Outcome;
    return [who, `${method} ${path}`, cell(pdp), ...modes.map((mode) => cell(envoys[mode])), pdp.by];
  });
  return table(columns, rows, room);
}

function cell({ verdict, shadow }: Verdict): string {
  const colour = verdict === 'allow' ? 'green' : 'red';
  const said = process.stdout.isTTY ? styleText(colour, verdict) : verdict;
  return shadow === effect(verdict) ? said : `${said}, shadow ${shadow}`;
}

function effect(verdict: Verdict['verdict']): 'allow' | 'deny' {
  return verdict === 'allow' ? 'allow' : 'deny';
}

/** Whether all came to one verdict, in both worlds; whom the handshake refuses is denied. */
export function agree({ pdp, envoys }: Outcome): boolean {
  return modes.every((mode) => {
    const { verdict, shadow } = envoys[mode];
    return effect(verdict) === pdp.verdict && (verdict === 'refused' || shadow === pdp.shadow);
  });
}
