/** Where a listener stands and what it is wired to: what no policy says. */
export interface Wiring {
  readonly listen: Address;
  readonly upstream: Address;
  /** The server's own certificate and key, and the bundle of a trust domain, as files. */
  readonly certificate: string;
  readonly key: string;
  readonly bundle: (trustDomain: string) => string;
  readonly admin?: Address;
  /** Not given: standard output. */
  readonly accessLog?: string;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Files as they lie in one folder. */
export function filesIn(folder: string): Pick<Wiring, 'certificate' | 'key' | 'bundle'> {
  return {
    certificate: `${folder}/cert.pem`,
    key: `${folder}/key.pem`,
    bundle: (trustDomain) => `${folder}/bundles/${trustDomain}.pem`,
  };
}
