import type { Command } from 'commander';
import { type Does, examples } from '../declare/does.ts';
import { collect } from '../options.ts';
import type { Terminal } from '../terminal/output.ts';

/** `placet pki`: certificates for demos, tests and small fabrics. */
export function declarePki(program: Command, terminal: Terminal, does: Does): void {
  const pki = program
    .command('pki')
    .description('make certificates for demos and tests; in production, SPIRE or cert-manager does')
    .addHelpText(
      'after',
      examples(
        'placet pki authority example.org --out pki',
        'placet pki svid spiffe://example.org/ns/shop/sa/web --authority pki/example.org.pem --out pki',
      ),
    );
  const made = (command: Command): Command =>
    command
      .requiredOption('-o, --out <folder>', 'where they are written; nothing there is overwritten')
      .option('--hours <n>', 'how long they are valid', '24');
  made(pki.command('authority <trust-domain>'))
    .description('an authority of a trust domain, of a fabric or of a tag mesh')
    .addHelpText('after', examples('placet pki authority example.org --out pki'))
    .action(
      does(async (name: string, flags) =>
        (await import('../commands/pki.ts')).pkiAuthority(terminal, name, flags),
      ),
    );
  const signed = (command: Command): Command =>
    made(command).requiredOption(
      '--authority <file>',
      'the certificate of the authority; its key lies beside it',
    );
  signed(pki.command('svid <spiffe-id>'))
    .description("a workload's X.509-SVID, or, with attributes of its site, a gateway's certificate")
    .option(
      '--site <key=value>',
      'an attribute of the site, such as site:name=eu-1; may be repeated',
      collect,
    )
    .addHelpText(
      'after',
      examples(
        'placet pki svid spiffe://example.org/ns/shop/sa/web --authority pki/example.org.pem --out pki',
        'placet whois --cert pki/ns-shop-sa-web.pem --bundle example.org=pki/example.org.pem',
      ),
    )
    .action(
      does(async (id: string, flags) => (await import('../commands/pki.ts')).pkiSvid(terminal, id, flags)),
    );
  signed(pki.command('tags <mesh> <service>'))
    .description('the certificate of a client of a tag mesh')
    .option('--tag <key=value>', 'a tag; may be repeated, also with the same key', collect)
    .addHelpText(
      'after',
      examples('placet pki tags default web --authority pki/default.pem --tag version=v1 --out pki'),
    )
    .action(
      does(async (mesh: string, service: string, flags) =>
        (await import('../commands/pki.ts')).pkiTags(terminal, mesh, service, flags),
      ),
    );
}
