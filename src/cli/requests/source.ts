import { createReadStream } from 'node:fs';
import type { Inventory } from '../../pdp/model/inventory.ts';
import { exit, Failure } from '../failure.ts';
import { cannotRead } from '../path-words.ts';
import type { Terminal } from '../terminal/output.ts';
import { type RequestFlags, requestFlagsGiven, requestFromFlags } from './flags.ts';
import type { Item } from './item.ts';
import { readRequests } from './read.ts';

export interface SourceFlags extends RequestFlags {
  readonly request?: string;
}

async function* fromFlags(flags: RequestFlags, inventory: Inventory): AsyncGenerator<Item[]> {
  yield [{ ok: true, line: 1, column: 1, value: requestFromFlags(flags, inventory) }];
}

async function* fromFile(file: string): AsyncGenerator<Item[]> {
  try {
    yield* readRequests(file, createReadStream(file));
  } catch (error) {
    throw new Failure(exit.problems, cannotRead(file, error));
  }
}

export interface Source {
  /** What a place in the input begins with; flags have no places. */
  readonly name?: string;
  batches(inventory: Inventory): AsyncGenerator<Item[]>;
}

/** Where the flags say that requests come from: the flags themselves, a file, or stdin. */
export function requestsOf(flags: SourceFlags, terminal: Terminal): Source {
  const given = requestFlagsGiven(flags);
  if (flags.request !== undefined) {
    if (given.length > 0) {
      throw new Failure(exit.usage, `--request and ${given.join(', ')} exclude each other`);
    }
    const { request } = flags;
    if (request !== '-') return { name: request, batches: () => fromFile(request) };
  } else if (given.length > 0) {
    return { batches: (inventory) => fromFlags(flags, inventory) };
  }
  if (flags.request === undefined && terminal.in.isTTY === true) {
    throw new Failure(
      exit.usage,
      'no request was given',
      'describe it with flags (--service, --source, …), or name a file with --request, - for stdin',
    );
  }
  return { name: 'stdin', batches: () => readRequests('stdin', terminal.in) };
}
