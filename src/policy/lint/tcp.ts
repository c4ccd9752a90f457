import { isLayer7 } from '../../pdp/model/rule.ts';
import type { Ground } from './finding.ts';
import { amongInbounds, denies, destinationConditions, inboundsOf } from './inventory.ts';

/** A deny of method or path on an inbound that shows neither denies whatever the rest of it matches (SPEC DST6). */
export function layer7OnTcp(ground: Ground): void {
  const { rules, policies, inventory } = ground.loaded;
  const shown = inboundsOf(inventory).filter(({ inbound }) => inbound.protocol === 'tcp');
  const tcp = amongInbounds(shown, inventory);
  if (tcp.isEmpty) return;
  for (const policy of policies) {
    if (policy.labels['placet.dev/tcp'] === 'deny') continue;
    for (const rule of rules.slice(policy.first, policy.first + policy.count)) {
      if (!denies(rule) || !rule.when.some(isLayer7)) continue;
      const reached = tcp.find(destinationConditions(rule));
      if (reached === undefined) continue;
      const name = `${reached.dataplane.mesh}/${reached.dataplane.name}:${reached.inbound.name ?? reached.inbound.port}`;
      ground.report(rule.origin.document, rule.origin.path, {
        code: 'tcp-l7',
        message: `denies by method or path on the TCP inbound ${name}, which shows neither: there it denies whatever the rest of it matches`,
        hint: 'select HTTP inbounds only, or label the policy "placet.dev/tcp: deny" if that is meant',
      });
    }
  }
}
