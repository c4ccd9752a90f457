import { expect, it } from 'vitest';
import { readBundle } from '../../../src/attributes/bundles/document.ts';
import { Bundles } from '../../../src/attributes/bundles/store.ts';
import { readPem } from '../../../src/attributes/x509/pem.ts';
import { X509Verifier } from '../../../src/attributes/x509/verifier.ts';
import {
  type Authority,
  type AuthorityOptions,
  authority,
  intermediate,
  purpose,
  purposes,
  svid,
} from '../../support/certificates/index.ts';

const id = 'spiffe://td.example/ns/shop/sa/web';
const { clientAuth, serverAuth, emailProtection } = purpose;
const anyPurpose = '2.5.29.37.0';

/** The ID of what an authority signs, or the reason for which it is nobody's. */
async function signedBy(signer: Authority): Promise<string> {
  const bundles = new Bundles();
  const bundle = readBundle('td.example', signer.bundle);
  if (!bundle.ok) return bundle.refusal.message;
  bundles.load('test', bundle.value, 0);
  const chain = readPem((await svid(signer, id)).chain, 5);
  const verified = chain.ok ? new X509Verifier(bundles).verify(chain.value) : chain;
  return verified.ok ? verified.value.spiffeId.toString() : verified.refusal.message;
}

const kinds = {
  intermediate: async (options: AuthorityOptions) =>
    intermediate(await authority('td.example', { name: 'root' }), { name: 'signer', ...options }),
  root: (options: AuthorityOptions) => authority('td.example', { name: 'signer', ...options }),
};

for (const [kind, make] of Object.entries(kinds)) {
  it.each([[[clientAuth, serverAuth]], [[emailProtection, serverAuth, clientAuth]], [[anyPurpose]]])(
    `[X4] a signer for %j signs, as ${kind}`,
    async (said) => {
      expect(await signedBy(await make({ more: [purposes(...said)] }))).toBe(id);
    },
  );

  it.each([[[emailProtection]], [[clientAuth]], [[serverAuth]], [[emailProtection, clientAuth]]])(
    `[X4] a signer for %j does not, as ${kind}`,
    async (said) => {
      expect(await signedBy(await make({ more: [purposes(...said)] }))).toBe(
        'got the certificate of CN=signer as a signer whose extended key usage lacks serverAuth or clientAuth, want both, any or none',
      );
    },
  );
}
