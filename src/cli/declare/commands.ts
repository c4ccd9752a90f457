import type { Command } from 'commander';
import { declareServe } from '../serve/declare.ts';
import type { Terminal } from '../terminal/output.ts';
import { declareDecisions } from './decisions.ts';
import type { Does } from './does.ts';
import { declareEnvoy } from './envoy.ts';
import { declareMore } from './more.ts';
import { declarePolicies } from './policies.ts';

/** Every command: what it takes and how it is used. What it does is imported when it is called. */
export function declareCommands(program: Command, terminal: Terminal, done: (code: number) => void): void {
  const does: Does =
    (action) =>
    async (...args) =>
      done(await action(...(args as never[])));
  for (const declare of [declarePolicies, declareDecisions, declareEnvoy, declareServe, declareMore])
    declare(program, terminal, does);
}
