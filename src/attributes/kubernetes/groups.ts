import type { StandIn, Standing } from './standing.ts';

/** Objects that are tried together. */
export interface Group {
  readonly members: readonly Standing[];
  /** Its parts come before those of others. */
  readonly isOperators: boolean;
}

/** What changed: what is the operator's before what is of namespaces, and what was refused before as it is after the rest. */
export function groupsOf(changed: readonly Standing[], standIn: StandIn): readonly Group[] {
  const keys = new Map(changed.map((one) => [one, `${namespaceOf(one)} ${one.name}`]));
  const order = changed.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1));
  const [own, others] = [true, false].map((isOperators) =>
    [false, true].map((refused): Group => {
      const isMember = (one: Standing) =>
        isOperators === isOperatorsOwn(one, standIn) && refused === one.wasRefused;
      return { members: order.filter(isMember), isOperators };
    }),
  );
  return [...own!, ...others!].filter(({ members }) => members.length > 0);
}

/** Between namespaces if there are several, else between kinds; of one alone there is nothing to part. */
export function halvesOf({ members, isOperators }: Group): readonly Group[] {
  const at = borderIn(members.map(namespaceOf)) ?? borderIn(members.map(kindOf)) ?? members.length >> 1;
  if (at === 0) return [];
  return [members.slice(0, at), members.slice(at)].map((half) => ({ members: half, isOperators }));
}

export function isOfOne({ members }: Group): boolean {
  return borderIn(members.map(namespaceOf)) === undefined;
}

/** Where another one begins, nearest to the middle. */
function borderIn(keys: readonly string[]): number | undefined {
  const middle = keys.length / 2;
  const borders = keys.flatMap((key, i) => (i > 0 && key !== keys[i - 1] ? [i] : []));
  return borders.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
}

function isOperatorsOwn(one: Standing, standIn: StandIn): boolean {
  return namespaceOf(one) === '' || standIn(one.newest) === undefined;
}

function namespaceOf({ newest }: Standing): string {
  const { namespace } = newest['metadata'] as { readonly namespace?: string };
  return namespace ?? '';
}

function kindOf({ newest }: Standing): string {
  return `${newest['apiVersion']} ${newest['kind']}`;
}
