import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../../../src/gateway/service.ts';
import { type Role, roles } from '../../../src/pdp/model/request.ts';
import { type World as Opened, openWorld, snapshotOf as snapshotAt } from '../world.ts';

/** A service over the policies of a text, asked by somebody whose roles may change. */
export interface World extends Opened, ReturnType<typeof snapshotAt> {
  roles: ReadonlySet<Role>;
}

export const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');

/** The text in a file of its own, for as long as it is read. */
function inFile<T>(text: string, read: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'placet-authzen-'));
  try {
    const path = join(folder, 'policies.yaml');
    writeFileSync(path, text);
    return read(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function snapshotOf(text: string): ReturnType<typeof snapshotAt> {
  return inFile(text, snapshotAt);
}

export async function open(text: string, parts: Partial<Service> = {}): Promise<World> {
  const who: { roles: ReadonlySet<Role> } = { roles: new Set(roles) };
  const { snapshot, engine } = snapshotOf(text);
  const opened = await inFile(text, (path) =>
    openWorld(path, {
      live: {
        current: () => snapshot,
        explain: async (request, channel) => engine.explain(request, channel),
        readiness: () => ({ ready: true, sources: [] }),
      },
      callers: { caller: () => ({ name: 'test', roles: who.roles }) },
      ...parts,
    }),
  );
  return Object.assign(who, opened, { snapshot, engine });
}
