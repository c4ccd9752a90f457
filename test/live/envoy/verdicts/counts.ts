import type { Decision } from '../../../../src/pdp/model/decision.ts';
import type { Rule } from '../../../../src/pdp/model/rule.ts';
import type { Form } from './sets.ts';

/** What was tried, so that a run that tried too little fails. */
export class Counts {
  sets = 0;
  exactSets = 0;
  exports = 0;
  /** Of which only one direction holds: what Envoy allows the PDP allows. */
  narrower = 0;
  /** Asked of Envoy and compared. */
  requests = 0;
  allowed = 0;
  shadowDiffers = 0;
  /** Refused in the handshake, or as no request, before any filter. */
  refused = 0;
  rejected = 0;
  routed = 0;
  /** Requests that a connection was let in or denied for before they came. */
  early = 0;
  paper = 0;
  connections = 0;
  readonly tiers = new Set<string>();
  readonly operators = new Set<string>();
  readonly kinds = new Set<string>();
  readonly forms = new Set<string>();
  readonly peers = new Map<string, number>();

  rules(rules: readonly Rule[]): void {
    for (const { when, origin } of rules) {
      this.kinds.add(origin.kind);
      for (const { op, values } of when) {
        this.operators.add(op);
        for (const { match } of values) this.operators.add(match);
      }
    }
  }

  formed({ exported: { report, routes } }: Form): void {
    if (report.policies.some((one) => one.class === 'narrower')) this.narrower++;
    this.forms.add(`${report.filter} ${report.form} ${report.shadow}`);
    if (routes.length > 0) this.routed++;
  }

  compared(decision: Decision): void {
    this.requests++;
    if (decision.decision === 'allow') this.allowed++;
    if (decision.decision !== decision.shadow) this.shadowDiffers++;
    this.tiers.add(String(decision.tier));
  }

  peer(sort: string): void {
    this.peers.set(sort, (this.peers.get(sort) ?? 0) + 1);
  }

  get print(): string {
    const { tiers, operators, kinds, forms, peers, ...others } = this;
    const numbers = Object.fromEntries(Object.entries(others).filter(([, one]) => typeof one === 'number'));
    const lists = Object.entries({ tiers, operators, kinds, forms }).map(
      ([name, values]) => `${name}: ${[...values].sort().join(', ')}`,
    );
    const sorts = [...peers].map(([sort, count]) => `${count} ${sort}`).join(', ');
    return [JSON.stringify(numbers), ...lists, `clients: ${sorts}`].join('\n');
  }
}
