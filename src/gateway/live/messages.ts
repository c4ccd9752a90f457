import type { Compiled } from '../../pdp/index/compile.ts';
import type { Channel, Request } from '../../pdp/model/request.ts';
import type { Violation } from '../../pdp/model/violation.ts';
import type { Question } from '../inspect/questions.ts';
import type { Counts } from './overview.ts';
import type { PlaceTable } from './places.ts';
import type { SourceReport } from './source.ts';

/** What the thread that has the documents says to the one that decides. */
export type FromLoader =
  | SetMessage
  | StatusMessage
  /** There is nothing to decide with, and nothing of it counts. */
  | { readonly type: 'refused'; readonly violations: readonly Violation[] }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  /** Nothing was read yet. */
  | { readonly type: 'not-now'; readonly id: number; readonly message: string }
  /** Something that nobody thought of; with the stack, which is that of the thread. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly stack?: string };

export interface SetMessage {
  readonly type: 'set';
  readonly name: string;
  readonly compiled: Compiled;
  readonly places: PlaceTable;
  /** Serialised; not given where it is what it was in the set before. */
  readonly inventory?: Uint8Array;
  readonly counts: Counts;
}

export interface StatusMessage {
  readonly type: 'status';
  readonly sources: readonly ({ readonly name: string } & SourceReport)[];
  readonly problems: readonly Violation[];
  /** Of what was just read; not given where it is told again that nothing changed. */
  readonly reload?: { readonly outcome: 'taken' | 'partly' | 'held'; readonly milliseconds: number };
}

export type ToLoader =
  | { readonly type: 'question'; readonly id: number; readonly question: Question }
  | {
      readonly type: 'explain';
      readonly id: number;
      readonly request: Request;
      readonly channel: Channel;
      readonly snapshot?: string;
    }
  /** About what only whoever started the thread knows of. */
  | { readonly type: 'aside'; readonly id: number; readonly asked: unknown }
  | { readonly type: 'read' }
  | { readonly type: 'close' };

/** Every buffer below a value: they go over instead of being copied, and whoever sends them has them no more. */
export function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) buffersOf(part, found);
  return found;
}
