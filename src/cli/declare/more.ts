import type { Command } from 'commander';
import { declareDoctor } from '../doctor/declare.ts';
import { declarePki } from '../pki/declare.ts';
import type { Terminal } from '../terminal/output.ts';
import { type Does, examples } from './does.ts';

/** All other commands. */
export function declareMore(program: Command, terminal: Terminal, does: Does): void {
  program.commandsGroup('More:');
  const ofImages = examples('placet encode images registry.example/web:1.0 registry.example/proxy:2.1');
  const encode = program
    .command('encode')
    .description('write values in the form that policies compare')
    .addHelpText('after', ofImages);
  encode
    .command('images <images...>')
    .description('the value of k8s:container-image for a workload with these images')
    .addHelpText('after', ofImages)
    .action(
      does(async (images: string[]) =>
        (await import('../commands/encode.ts')).encodeImages(terminal, images),
      ),
    );
  declarePki(program, terminal, does);
  declareDoctor(
    program,
    examples(
      'placet doctor --policies policies --bundle example.org=roots.pem',
      'placet doctor --kubeconfig ~/.kube/config',
      'placet doctor --cluster --workload-api --policies /etc/placet',
      '',
      'Ends with 0, with 1 if anything fails.',
    ),
  ).action(does(async (options) => (await import('../commands/doctor.ts')).doctor(terminal, options)));
  program
    .command('tour')
    .description('decide the cases that come with Placet, topic by topic')
    .argument('[topics...]', 'only topics whose folder begins like this')
    .addHelpText('after', examples('placet tour', 'placet tour 40'))
    .action(does(async (topics: string[]) => (await import('../commands/tour.ts')).tour(terminal, topics)));
  program
    .command('completion <shell>')
    .description('print the completion script for bash or zsh')
    .addHelpText(
      'after',
      examples('source <(placet completion bash)', 'placet completion zsh > ~/.zfunc/_placet'),
    )
    .action(
      does(async (shell: string) =>
        (await import('../commands/completion.ts')).completion(terminal, program, shell),
      ),
    );
}
