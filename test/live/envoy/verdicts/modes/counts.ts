import type { Decision } from '../../../../../src/pdp/model/decision.ts';
import { Counts } from '../counts.ts';

export type Way = 'native http' | 'native network' | 'grpc' | 'http' | 'network';

/** Of requests, and of connections where the way is the network's. */
interface OfWay {
  sets: number;
  asked: number;
  allowed: number;
  denied: number;
  shadowDiffers: number;
  /** Denied since the PDP decides no connection to an inbound declared http. */
  early: number;
}

const none = (): OfWay => ({ sets: 0, asked: 0, allowed: 0, denied: 0, shadowDiffers: 0, early: 0 });

/** What was tried of each way to the same verdict. */
export class ModeCounts extends Counts {
  readonly ways: Readonly<Record<Way, OfWay>> = {
    'native http': none(),
    'native network': none(),
    grpc: none(),
    http: none(),
    network: none(),
  };
  /** Asked of Placet alone: what the set says has no export. */
  withoutExport = 0;
  /** Decided otherwise for want of the server name. */
  withoutName = 0;
  /** With a certificate that Placet refuses, and of these with what `decide` would have said of what is in it. */
  odd = 0;
  oddDiffers = 0;
  readonly forwardings = new Set<string>();

  said(
    way: Way,
    { decision, shadow, reason }: Pick<Decision, 'decision' | 'shadow'> & { reason?: string },
  ): void {
    const counts = this.ways[way];
    counts.asked++;
    counts[decision === 'allow' ? 'allowed' : 'denied']++;
    if (shadow !== decision) counts.shadowDiffers++;
    if (reason === 'incomplete-request') counts.early++;
  }

  override get print(): string {
    const all = Object.entries(this.ways).map(([way, counts]) => `${way}: ${JSON.stringify(counts)}`);
    return [super.print, `forwarded: ${[...this.forwardings].sort().join(', ')}`, ...all].join('\n');
  }
}
