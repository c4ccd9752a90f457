import { expect } from 'vitest';
import { freePorts } from '../../support/kubernetes/cluster.ts';
import { patient, within } from '../kubernetes/account.ts';
import { start } from './process.ts';

interface Source {
  readonly name: string;
  readonly problems: readonly string[];
}

/** A service that is started while there is no API server: asked, it says so, and it decides once there is one. */
export async function startWithout(config: string, question: object) {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const starting = start('--config', config, '--listen', `127.0.0.1:${port}`);
  // Told again by whoever awaits it.
  starting.catch(() => undefined);
  const status = (path: string, init?: RequestInit) =>
    fetch(`${url}${path}`, init).then(
      (answer) => answer.status,
      () => 'refused',
    );
  await expect.poll(() => status('/live'), within).toBe(200);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(question);
  const asked = [status('/ready'), status('/decide', { method: 'POST', headers, body }), status('/policies')];
  expect(await Promise.all([...asked, status('/metrics')])).toEqual([503, 503, 503, 200]);
  const problems = async () => {
    const { sources } = (await (await fetch(`${url}/ready?verbose`)).json()) as { sources: Source[] };
    return sources.find(({ name }) => name.startsWith('policies in '))?.problems.join();
  };
  await expect.poll(problems, within).toContain('connect ECONNREFUSED');
  return {
    async decides() {
      const running = await starting;
      await expect.poll(() => status('/ready'), patient).toBe(200);
      expect(await status('/decide', { method: 'POST', headers, body })).toBe(200);
      expect(running.lines).toContainEqual(
        expect.stringMatching(/^policies in https:.*: connect ECONNREFUSED /),
      );
      expect(running.lines).toContain(
        `listens on ${url}, and answers with 503 until the policies of the cluster have been read`,
      );
      running.process.kill('SIGTERM');
      expect(await running.ended()).toBe(0);
    },
  };
}
