/** What is asked of those who have the documents; plain data, since they sit in another thread. */
export type Question =
  | { readonly about: 'layout' | 'proxy'; readonly of: ProxyName }
  | { readonly about: 'inbound' | 'outbound'; readonly of: ProxyName; readonly part: string }
  | { readonly about: 'policies'; readonly where: PolicyFilter; readonly from: number; readonly most: number }
  | { readonly about: 'policy'; readonly kri: string };

export interface ProxyName {
  readonly mesh: string;
  readonly name: string;
  /** As if policies labelled `kuma.io/effect: shadow` were in force. */
  readonly shadow?: boolean;
}

export interface PolicyFilter {
  readonly kind?: string;
  readonly mesh?: string;
  readonly namespace?: string;
}

export type Answer =
  | { readonly found: true; readonly value: object }
  | { readonly found: false; readonly missing: string; readonly near?: string };
