import { type Decision, refusal } from '../../pdp/model/decision.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Channel, Request } from '../../pdp/model/request.ts';
import { Refused } from '../http/problem.ts';
import type { Evidence, Snapshot } from '../service.ts';
import { checkValue } from './attributes.ts';
import { type Resource, resourceOf } from './resource.ts';
import { type Subject, subjectOf } from './subject.ts';
import type { Entity, Evaluation } from './types.ts';

/** An evaluation as `decide` takes it, or the reason for which there is nothing to decide. */
export type Mapped =
  | { readonly request: Request; readonly channel: Channel; readonly evidence?: Evidence }
  | { readonly reason: 'conflict'; readonly keys: readonly string[] }
  | { readonly reason: 'unknown-destination' };

/** SPEC AZ20 to AZ26. */
export function mapped(evaluation: Evaluation, inventory: Inventory, channel: Channel): Mapped {
  const subject = subjectFor(evaluation.subject, inventory, channel);
  return joined(subject, resourceOf(evaluation, inventory), channel);
}

/** Types whose ID is no attribute of theirs: what stands for a workload, and what says nothing. */
const withoutId: ReadonlySet<string> = new Set(['workload', 'evidence']);

/** Its ID is one of its attributes, so that its properties may not say another. */
export function subjectFor(subject: Entity, inventory: Inventory, { trust }: Channel): Subject {
  const { type, id, properties = {} } = subject;
  const key = `${type}:id`;
  if (!withoutId.has(type))
    for (const name of ['id', key]) {
      const value = Object.hasOwn(properties, name) ? properties[name] : null;
      if (value !== null && typeof value !== 'object')
        checkValue(new Map([[key, id]]), key, String(value), ['subject', 'properties', name]);
    }
  return subjectOf(subject, inventory, trust);
}

export function joined(
  { source, evidence, conflicts }: Subject,
  { destination, request }: Resource,
  channel: Channel,
): Mapped {
  if (destination === undefined) return { reason: 'unknown-destination' };
  if (conflicts.length > 0) return { reason: 'conflict', keys: conflicts };
  return {
    request: { source, destination, request },
    // What counts for more than the caller does says so itself, value by value.
    channel: { ...channel, ceiling: 'attested' },
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** What is decided without evidence. */
export function decided(snapshot: Snapshot, question: Mapped): Decision {
  if ('reason' in question) {
    const { reason, ...more } = question;
    return refusal(reason, snapshot.name, more);
  }
  return usable(snapshot.decide(question.request, question.channel));
}

/** Beyond the limits of `decide` there is nothing to decide, which is the caller's mistake and no verdict. */
export function usable(decision: Decision): Decision {
  if (decision.reason !== 'invalid-request') return decision;
  throw new Refused({
    status: 400,
    title: 'no request that can be decided',
    violations: decision.violations ?? [],
  });
}
