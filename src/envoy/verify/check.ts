/** Something that verdicts rely on outside the RBAC filters themselves. */
export interface Check {
  readonly id: CheckId;
  readonly state: 'holds' | 'fails' | 'not shown';
  readonly message: string;
  readonly hint?: string;
}

const checkIds = [
  'rbac',
  'delivered',
  'client-certificate',
  'certificate-verification',
  'trust-bundles',
  'session-resumption',
  'tag-certificates',
  'filter-order',
  'not-followed',
  'token-verification',
  'token-checks',
  'token-order',
  'token-overrides',
  'clock',
  'layer',
  'normalize-path',
  'merge-slashes',
  'escaped-slashes',
  'tls-inspector',
  'other-inputs',
  'route-overrides',
  'stat-prefix',
] as const;
export type CheckId = (typeof checkIds)[number];

/** What is known of the destination, and of what its policies and filters read. */
export interface Needs {
  readonly protocol: 'http' | 'tcp' | undefined;
  readonly trustDomains: readonly string[];
  /** Whether clients have certificates of tags. */
  readonly tags: boolean;
  /** Whether clients come with exchange tokens. */
  readonly tokens: boolean;
  readonly readsPaths: boolean;
  readonly readsSnis: boolean;
  /** What filters read that requests are not made with. */
  readonly readsOthers: readonly string[];
  /** Whether filters ask for a certificate that was verified, which Envoy forgets of a resumed session. */
  readonly readsValidation: boolean;
}

export function holds(id: CheckId, message: string): Check {
  return { id, state: 'holds', message };
}

export function fails(id: CheckId, message: string, hint?: string): Check {
  return { id, state: 'fails', message, ...(hint === undefined ? {} : { hint }) };
}

export function notShown(id: CheckId, message: string): Check {
  return { id, state: 'not shown', message };
}
