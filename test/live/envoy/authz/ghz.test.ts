import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { afterAll, describe, expect } from 'vitest';
import { AttributeContextSchema } from '../../../../src/envoy/proto/generated/envoy/service/auth/v3/attribute_context_pb.js';
import { ghz } from '../../../bench/authz/ghz.ts';
import { asBytes } from '../../../bench/authz/messages.ts';
import { live } from '../../../live.ts';
import { extensionsOf } from '../../../support/envoy/extensions.ts';
import { temporary } from '../../../support/envoy/temporary.ts';
import { goProgram } from '../../../support/programs/build.ts';
import { programsMissing } from '../../../support/programs/missing.ts';
import { totalIn } from '../../service/metrics.ts';
import { certificateFor, friend, serveShop, stranger, web } from './world.ts';

/** The server of gRPC, asked by a client that is written in Go. */

const proto = join(import.meta.dirname, '../../../bench/authz/check.proto');
const closing: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Report {
  readonly count: number;
  readonly statusCodeDistribution: Readonly<Record<string, number>>;
  readonly errorDistribution: Readonly<Record<string, number>>;
}

async function question(id: string, path: string): Promise<object> {
  const certificate = encodeURIComponent((await certificateFor(id)).chain);
  const attributes = create(AttributeContextSchema, {
    source: { certificate },
    contextExtensions: extensionsOf(web),
    request: { http: { method: 'GET', path } },
  });
  return asBytes({ attributes });
}

describe('a client in Go', () => {
  live(
    programsMissing([ghz]),
    '[RPC1] [AUTHZ3] thousands of calls over several connections are answered, each one once',
    async () => {
      // However slow the machine is, nothing is to be turned away.
      const placet = await serveShop({}, { limits: { turn: 60 }, log: { to: 'none' } });
      const folder = temporary();
      closing.push(
        () => placet.close(),
        () => folder.remove(),
      );
      // In turns: one of them is allowed.
      const questions = [
        await question(friend, '/orders'),
        await question(friend, '/metrics'),
        await question(stranger, '/orders'),
        await question(friend, '/%zz'),
      ];
      const data = join(folder.path, 'questions.json');
      writeFileSync(data, JSON.stringify(questions));
      const program = join((await goProgram(ghz)).folder, 'ghz');
      const calls = 4_000;
      const args = ['--insecure', '--proto', proto, '--call', 'envoy.service.auth.v3.Authorization.Check'];
      args.push('-D', data, '-n', `${calls}`, '-c', '40', '--connections', '8', '-O', 'json');
      args.push(`127.0.0.1:${placet.port}`);
      const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 1 << 30 });
      const report = JSON.parse(stdout) as Report;
      expect(report).toMatchObject({
        count: calls,
        statusCodeDistribution: { OK: calls },
        errorDistribution: {},
      });
      const metrics = await (await fetch(`http://127.0.0.1:${placet.httpPort()}/metrics`)).text();
      const decisions = (words: string) => totalIn(metrics, `placet_decisions_total{${words}`);
      expect(['decision="allow"', 'decision="deny"'].map(decisions)).toEqual([calls / 4, (3 * calls) / 4]);
      expect(totalIn(metrics, 'placet_shed')).toBe(0);
    },
  );
});
