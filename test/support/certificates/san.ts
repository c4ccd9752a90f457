import { Extension, type JsonGeneralNames, SubjectAlternativeNameExtension } from '@peculiar/x509';

/** A subject alternative name. Order counts: Envoy joins URIs in the order of the certificate. */
export type San =
  | { readonly uri: string }
  | { readonly dns: string }
  | { readonly email: string }
  | { readonly ip: string }
  /** Bytes of a URI that no string of ASCII can say. */
  | { readonly uriBytes: Buffer };

export const uri = (value: string): San => ({ uri: value });
export const dns = (value: string): San => ({ dns: value });

export function sanExtension(sans: readonly San[], critical: boolean): Extension {
  if (sans.some((san) => 'uriBytes' in san)) return rawExtension(sans, critical);
  const names = sans.map((san) => {
    if ('uri' in san) return { type: 'url', value: san.uri };
    if ('dns' in san) return { type: 'dns', value: san.dns };
    if ('email' in san) return { type: 'email', value: san.email };
    return { type: 'ip', value: 'ip' in san ? san.ip : '' };
  });
  return new SubjectAlternativeNameExtension(names as JsonGeneralNames, critical);
}

/** RFC 5280 §4.2.1.6: GeneralName is [6] IA5String for a URI, [2] for a DNS name, [1] for an e-mail address. */
function rawExtension(sans: readonly San[], critical: boolean): Extension {
  const names = sans.map((san) => {
    if ('uriBytes' in san) return tagged(0x86, san.uriBytes);
    if ('uri' in san) return tagged(0x86, Buffer.from(san.uri));
    if ('dns' in san) return tagged(0x82, Buffer.from(san.dns));
    if ('email' in san) return tagged(0x81, Buffer.from(san.email));
    throw new Error('an address cannot stand beside bytes of a URI');
  });
  const value = Uint8Array.from(tagged(0x30, Buffer.concat(names)));
  return new Extension('2.5.29.17', critical, value);
}

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
