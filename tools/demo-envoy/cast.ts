import {
  type Authority,
  authority,
  type Certificate,
  leaf,
  svid,
  uri,
} from '../../test/support/certificates/index.ts';

/** Who asks the orders service, for what, and why it ends as it does. */

export interface Scene {
  readonly who: string;
  readonly certificate?: Certificate;
  /** URIs of the certificate, in its order. */
  readonly uris: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly because: string;
}

export interface Cast {
  readonly home: Authority;
  readonly orders: Certificate;
  readonly scenes: readonly Scene[];
}

const td = 'spiffe://shop.mesh';

export async function cast(): Promise<Cast> {
  const home = await authority('shop.mesh');
  const stranger = await authority('shop.mesh', { generation: 1 });
  const own = async (path: string) => ({
    uris: [`${td}${path}`],
    certificate: await svid(home, `${td}${path}`),
  });
  const web = { who: 'web', ...(await own('/ns/shop/sa/web')) };
  const batch = { who: 'batch', ...(await own('/ns/legacy/sa/batch')) };
  const prometheus = { who: 'prometheus', ...(await own('/ns/obs/sa/prometheus')) };
  const lookalike = { who: 'lookalike', ...(await own('/ns/obs-evil/sa/prometheus')) };
  const two = [`${td}/ns/shop/sa/web`, `${td}/ns/other/sa/x`];
  const twofold = {
    who: 'two names',
    uris: two,
    certificate: await leaf(home, { sans: two.map(uri) }),
  };
  const forged = {
    who: 'stranger',
    uris: [`${td}/ns/shop/sa/web`],
    certificate: await svid(stranger, `${td}/ns/shop/sa/web`),
  };
  const nobody = { who: 'nobody', uris: [] };
  return {
    home,
    orders: await svid(home, `${td}/ns/shop/sa/orders`),
    scenes: [
      { ...web, method: 'GET', path: '/orders/7', because: 'the owner of the service names it' },
      { ...web, method: 'POST', path: '/orders?dry-run', because: 'for every method and path but /admin' },
      { ...web, method: 'GET', path: '/admin', because: 'a deny is stronger than any allow' },
      { ...web, method: 'GET', path: '//x/%2e%2e/admin', because: 'a path counts as Envoy will serve it' },
      { ...web, method: 'GET', path: '/admin%2fusers', because: 'nobody can tell which path that is' },
      { ...prometheus, method: 'GET', path: '/metrics/cpu', because: 'what observes may read metrics' },
      { ...prometheus, method: 'GET', path: '/orders/7', because: 'and nothing else' },
      { ...lookalike, method: 'GET', path: '/metrics', because: 'obs-evil is not below obs' },
      { ...batch, method: 'GET', path: '/orders/7', because: 'still let in, and seen in the shadow' },
      { ...twofold, method: 'GET', path: '/orders/7', because: 'a client has one identity' },
      { ...forged, method: 'GET', path: '/orders/7', because: 'another authority signed that name' },
      { ...nobody, method: 'GET', path: '/orders/7', because: 'an inbound asks for a certificate' },
    ],
  };
}
