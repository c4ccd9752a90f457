import { spawnSync } from 'node:child_process';

/**
 * A session is what a terminal shows: `$ placet …`, lines for stdin that begin with `< `, then what was printed,
 * stderr with `! ` before it, and the exit code in brackets unless it was 0. Lines with `#` before a command are
 * its comment.
 */
export interface Step {
  readonly comment: readonly string[];
  readonly command: string;
  readonly input: readonly string[];
}

export function stepsOf(text: string): Step[] {
  const steps: { comment: string[]; command: string; input: string[] }[] = [];
  let comment: string[] = [];
  let head = true;
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) comment.push(line);
    else if (line.startsWith('$ ')) {
      steps.push({ comment, command: line.slice(2), input: [] });
      comment = [];
      head = true;
    } else if (line.startsWith('< ') && head) steps.at(-1)?.input.push(line.slice(2));
    else head = false;
  }
  return steps;
}

/** Words as a shell reads them: spaces apart, quotes together. */
export function words(command: string): string[] {
  return [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  );
}

/** A snapshot changes with every edit of a policy, and is none of a session's business. */
function steady(text: string): string {
  return text.replace(/\b[0-9a-f]{32}\b/g, '<snapshot>');
}

function prefixed(text: string, mark: string): string {
  return text === '' ? '' : text.replace(/\n$/, '').replace(/^/gm, mark).replace(/ +$/gm, '').concat('\n');
}

export function play(step: Step, root: string, main: string): string {
  const [program, ...args] = words(step.command);
  if (program !== 'placet') throw new Error(`${step.command}: a session runs placet and nothing else`);
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...args], {
    cwd: root,
    encoding: 'utf8',
    input: step.input.map((line) => `${line}\n`).join(''),
    env: { PATH: process.env['PATH'] },
  });
  return [
    ...step.comment.map((line) => `${line}\n`),
    `$ ${step.command}\n`,
    prefixed(step.input.join('\n'), '< '),
    steady(stdout),
    prefixed(steady(stderr), '! '),
    status === 0 ? '' : `[${status}]\n`,
  ].join('');
}
