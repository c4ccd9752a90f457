import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { denyingEcds } from '../../envoy/export/documents.ts';
import { ExportRefused } from '../../envoy/export/refused.ts';
import type { Exported } from '../../envoy/export/types.ts';
import type { Asked } from '../../pdp/governing.ts';
import { Failure } from '../failure.ts';
import type { PolicySet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { everyInbound, fileFor } from './destinations.ts';
import { Making, textOf, type Wanted } from './making.ts';
import { makeFolder, replaceText } from './write.ts';

export interface Followed {
  /** That are as they should be. */
  readonly files: number;
  readonly changed: readonly string[];
  /** That could not be written. */
  readonly failed: number;
}

/** Files of one folder as one set after another has them. What did not change is not touched. */
export class FollowingFiles {
  readonly #terminal: Terminal;
  readonly #folder: string;
  readonly #asked: Asked | undefined;
  readonly #wanted: Wanted;
  readonly #warned = new Set<string>();
  /** What was last exported into each. */
  readonly #known = new Map<string, Exported>();

  /** `asked`: not given, every inbound. */
  constructor(terminal: Terminal, folder: string, asked: Asked | undefined, wanted: Wanted) {
    this.#terminal = terminal;
    this.#folder = folder;
    this.#asked = asked;
    this.#wanted = wanted;
  }

  /** `insist`: what cannot be written ends it. */
  async follow(set: Pick<PolicySet, 'documents' | 'loaded'>, how: 'insist' | 'go on'): Promise<Followed> {
    const { inventory, snapshot } = set.loaded;
    const { flags } = this.#wanted;
    const making = new Making(this.#terminal, set, this.#wanted, this.#warned);
    const texts = new Map<string, string>();
    const kept = new Set<string>();
    for (const asked of this.#asked === undefined ? everyInbound(inventory) : [this.#asked]) {
      const file = fileFor(asked, flags);
      try {
        const made = await making.make(asked);
        if (!(made instanceof ExportRefused)) {
          texts.set(file, made.text);
          if (made.exported !== undefined) this.#known.set(file, made.exported);
        } else if (!isGone(made)) kept.add(file);
      } catch (error) {
        await this.#survive(error, how);
        kept.add(file);
      }
    }
    // Whoever still reads the file of an inbound that is no more must not be let in by what held for it.
    for (const [file, exported] of this.#known)
      if (!texts.has(file) && !kept.has(file))
        texts.set(file, textOf(denyingEcds(exported, snapshot), flags));
    return await this.#write(texts, how);
  }

  async #write(texts: ReadonlyMap<string, string>, how: 'insist' | 'go on'): Promise<Followed> {
    const changed: string[] = [];
    let failed = 0;
    for (const [file, text] of texts) {
      const path = join(this.#folder, file);
      try {
        if (withoutVersion(textAt(path)) === withoutVersion(text)) continue;
        makeFolder(this.#folder);
        replaceText(path, text);
        changed.push(file);
      } catch (error) {
        await this.#survive(error, how);
        failed++;
      }
    }
    return { files: texts.size - failed, changed, failed };
  }

  async #survive(error: unknown, how: 'insist' | 'go on'): Promise<void> {
    if (!(error instanceof Failure) || how === 'insist') throw error;
    const { err } = this.#terminal;
    await err.line(`${palette(err).red('placet:')} ${printable(error.message)}`);
  }
}

function isGone({ refusal: { code } }: ExportRefused): boolean {
  return code === 'unknown-destination' || code === 'which-inbound';
}

/** Policies of others change the snapshot, and nothing of these filters. */
function withoutVersion(text: string | undefined): string | undefined {
  return text?.replace(/^\s*"?version_info"?: .*\n/m, '');
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
