import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Sessions in Markdown: in a fenced block marked `console`, a line that begins with `$ ` is a command (a
 * backslash at its end continues it) and what follows, up to the next command, is what it prints.
 */

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    lines: body.split('\n').slice(0, -1),
  }));
}

/** The commands of a block, each as it would be typed. */
export function commandsOf(lines: readonly string[]): string[] {
  const commands: string[] = [];
  let open = false;
  for (const line of lines) {
    if (open) commands.push(`${commands.pop()}\n${line}`);
    else if (line.startsWith('$ ')) commands.push(line.slice(2));
    else continue;
    open = line.endsWith('\\');
  }
  return commands;
}

/** Runs `work` with a function that runs one command in a shell in which `placet` is the one of this tree. */
export function withShell<T>(work: (runCommand: (command: string) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'placet-session-'));
  try {
    const shim = join(folder, 'placet');
    writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'src/cli/main.ts')}' "$@"\n`);
    chmodSync(shim, 0o755);
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NO_COLOR: '1',
      PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    delete env['FORCE_COLOR'];
    return work((command) => {
      const { stdout, error } = spawnSync('sh', ['-c', `exec 2>&1\n${command}`], {
        cwd: root,
        env,
        encoding: 'utf8',
      });
      if (error) throw error;
      return stdout;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same text with the output of every `console` block as it is now. */
export function refreshed(markdown: string, runCommand: (command: string) => string): string {
  return markdown.replace(/^```console\n([\s\S]*?)^```$/gm, (_, body: string) => {
    const parts = commandsOf(body.split('\n')).map((command) => {
      const output = runCommand(command).trimEnd();
      return `$ ${command}\n${output === '' ? '' : `${output}\n`}`;
    });
    return `\`\`\`console\n${parts.join('')}\`\`\``;
  });
}
