import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explicitDocument } from '../../../src/policy/targets/additions.ts';
import { explicit, explicitTop } from '../../../src/policy/targets/explicit.ts';
import { byStrength } from '../../../src/policy/targets/order.ts';
import { roleOf } from '../../../src/policy/targets/role.ts';
import { selectsInbound, selectsProxy } from '../../../src/policy/targets/select.ts';
import type { Targeted } from '../../../src/policy/targets/targeted.ts';
import { loadObjects } from './loading.ts';
import { dataplanes, type Policy, policies } from './random.ts';
import { isRight, slowRole, slowSelects, slowStronger } from './twin.ts';

const runs = { seed: 20261118, numRuns: 400 };

/** Each name once, since names twice are another rule. */
function distinct(all: readonly Policy[]): readonly Policy[] {
  const seen = new Set<string>();
  return all.filter(({ name, namespace, labels }) => {
    const key = `${labels['kuma.io/zone']} ${namespace} ${name}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

const right = policies.map((all) => distinct(all).filter(isRight));

const loadAll = (documents: readonly unknown[]): readonly Targeted[] => {
  const loaded = loadObjects(...documents);
  expect(loaded.violations).toEqual([]);
  return [...loaded.targeted].sort((a, b) => a.head.document - b.head.document);
};

test('[NS1] [NS7] [NS8] [NS11] roles and refusals are those of the twin', () => {
  let refused = 0;
  fc.assert(
    fc.property(policies.map(distinct), (all) => {
      const loaded = loadObjects(...all);
      const sound = new Set(loaded.targeted.map(({ head }) => head.document));
      for (const [index, policy] of all.entries()) {
        expect(sound.has(index), JSON.stringify(policy)).toBe(isRight(policy));
        if (!sound.has(index)) refused++;
      }
      for (const policy of loaded.targeted) expect(roleOf(policy)).toBe(slowRole(all[policy.head.document]!));
    }),
    runs,
  );
  expect(refused).toBeGreaterThan(100);
});

test('[NS6] the order is total, the same however documents come, and the twin’s', () => {
  let pairs = 0;
  fc.assert(
    fc.property(right, fc.infiniteStream(fc.nat()), (all, numbers) => {
      const compare = byStrength(() => undefined);
      const sorted = [...loadAll(all)].sort(compare).map(({ head }) => all[head.document]!);
      for (let at = 1; at < sorted.length; at++, pairs++) {
        const [weaker, stronger] = [sorted[at - 1]!, sorted[at]!];
        expect(slowStronger(weaker, stronger), JSON.stringify([weaker, stronger])).toBe(false);
      }
      const keys = new Map(all.map((policy) => [policy, numbers.next().value ?? 0]));
      const shuffled = [...all].sort((a, b) => keys.get(a)! - keys.get(b)!);
      const again = [...loadAll(shuffled)]
        .sort(byStrength(() => undefined))
        .map(({ head }) => shuffled[head.document]!);
      expect(again).toEqual(sorted);
    }),
    runs,
  );
  expect(pairs).toBeGreaterThan(300);
});

test('[NS5] the explicit form is its own, has the same role and strength, and is what the document in full says', () => {
  fc.assert(
    fc.property(right, (all) => {
      const before = loadAll(all);
      const full = before.map((policy, index) => explicitDocument(all[index], policy));
      const after = loadAll(full);
      const compare = byStrength(() => undefined);
      for (const [index, policy] of before.entries()) {
        const { targetRef, to, from } = explicit(policy);
        const later = explicit(after[index]!);
        expect({ targetRef: later.targetRef, to: later.to, from: later.from }).toEqual({
          targetRef,
          to,
          from,
        });
        expect(roleOf(after[index]!)).toBe(roleOf(policy));
        expect(explicit(explicit(policy))).toEqual(explicit(policy));
        expect(explicitDocument(full[index], after[index]!)).toEqual(full[index]);
        for (const [other, second] of before.entries())
          expect(Math.sign(compare(after[index]!, after[other]!))).toBe(Math.sign(compare(policy, second)));
      }
    }),
    runs,
  );
});

test('[REF4] [NS3] inbounds and proxies are selected as by the twin, in sugar and in full', () => {
  let selected = 0;
  fc.assert(
    fc.property(right, dataplanes, (all, proxies) => {
      const { inventory } = loadObjects(...proxies);
      for (const policy of loadAll(all)) {
        const written = all[policy.head.document]!;
        const ref = explicitTop(policy);
        for (const proxy of proxies) {
          const dataplane = inventory.dataplanes.get(`default/${proxy.name}`)!;
          const inbounds = proxy.networking.inbound;
          const want = inbounds.map((inbound) => slowSelects(written, proxy, inbound));
          const got = dataplane.inbounds.map((inbound) => selectsInbound(ref, 'default', dataplane, inbound));
          expect(got, JSON.stringify([written, proxy])).toEqual(want);
          selected += got.filter(Boolean).length;
          const alone = inbounds.length === 0 && slowSelects(written, proxy, { tags: {} });
          expect(selectsProxy(ref, 'default', dataplane)).toBe(want.includes(true) || alone);
        }
      }
    }),
    runs,
  );
  expect(selected).toBeGreaterThan(300);
});
