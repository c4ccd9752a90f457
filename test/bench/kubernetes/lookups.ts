import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { identify, type Known, requestSource } from '../../../src/attributes/identify.ts';
import type { ClusterSource } from '../../../src/attributes/kubernetes/cluster.ts';
import { readPem } from '../../../src/attributes/x509/pem.ts';
import { verifyX509Svid } from '../../../src/attributes/x509/svid.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import { Templates } from '../../../src/pdp/model/facts.ts';
import { authority, svid } from '../../support/certificates/index.ts';

export interface Lookup {
  readonly what: string;
  readonly perSecond: number;
}

const budget = 1_000;
/** So that no work can be left out whose result nobody reads. */
export let sink = 0;

/** How often a second, after a warm-up of the same. */
function rate(what: string, work: (at: number) => unknown): Lookup {
  const run = (milliseconds: number) => {
    const start = performance.now();
    let times = 0;
    for (; performance.now() - start < milliseconds; times += 100)
      for (let at = 0; at < 100; at++) if (work(times + at) === undefined) sink++;
    return (1_000 * times) / (performance.now() - start);
  };
  run(budget / 2);
  return { what, perSecond: run(budget) };
}

export async function lookups(source: ClusterSource, perAccount: number): Promise<Lookup[]> {
  const cluster = source.view();
  if (cluster === undefined) throw new Error('the source has no view');
  const addresses = [...source.pods].flatMap((pod) => pod.addresses);
  const anyone = (at: number) => addresses[(at * 7919) % addresses.length]!;
  const home = await authority('td.example');
  const { chain } = await svid(home, 'spiffe://td.example/ns/shop/sa/app-7');
  const bundles = new Bundles();
  const [bundle, certificates] = [readBundle('td.example', home.bundle), readPem(chain, 4)];
  if (!bundle.ok || !certificates.ok) throw new Error('the workshop made what cannot be read');
  bundles.load('bench', bundle.value, Date.now());
  const verifier = new X509Verifier(bundles);
  const site = { trustDomains: [{ name: 'td.example', template: '/ns/{k8s:ns}/sa/{k8s:sa}' }] };
  const known: Known = {
    templates: new Templates(site as never, new Map()),
    own: new Set(['td.example']),
    isHere: () => true,
    site: new Map([['site:name', 'a']]),
    cluster,
  };
  const id = () => {
    const verified = verifier.verify(certificates.value);
    if (!verified.ok) throw new Error(verified.refusal.message);
    return verified.value.spiffeId;
  };
  const own = cluster.ofAccount('shop', 'app-7').flatMap((pod) => pod.addresses);
  if (own.length !== perAccount) throw new Error(`got ${own.length} pods of an account, want ${perAccount}`);
  return [
    rate('who has an address', (at) => cluster.ofAddress(anyone(at))),
    rate('certificate seen before, verified', id),
    rate('full source set: address', (at) => requestSource(identify({ address: anyone(at) }, known))),
    rate('full source set: certificate seen before', () =>
      requestSource(identify({ spiffeId: id() }, known)),
    ),
    rate('full source set: certificate seen before, and address', (at) =>
      requestSource(identify({ spiffeId: id(), address: own[at % own.length]! }, known)),
    ),
    rate('certificate not seen before: read and verified', () => {
      const read = readPem(chain, 4);
      return read.ok && verifyX509Svid(read.value as never, (name) => bundles.authorities(name), Date.now());
    }),
  ];
}
