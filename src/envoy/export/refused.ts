/** Why there is no export. Closed, so that programs can tell them apart. */
export type RefusalCode =
  | 'version' // the Envoy meant lacks what the form needs
  | 'protocol' // the filter does not fit the inbound
  | 'unknown-destination'
  | 'which-inbound'
  | 'too-many-tags'
  | 'too-large'
  | 'too-deep'
  | 'form' // the form cannot say these rules
  | 'not-exact'
  | 'as-written'
  | 'exchange' // tokens are asked for, and nobody could have one
  | 'trust-domains' // whose certificates to believe is not known
  | 'client-certificates'; // the mesh does not ask for any

export interface Refusal {
  readonly code: RefusalCode;
  /** What was got and what is wanted; lower case, no full stop. */
  readonly message: string;
  readonly hint?: string;
  /** The policies that it is about. */
  readonly policies?: readonly { readonly name: string; readonly reason: string }[];
}

export class ExportRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'ExportRefused';
    this.refusal = refusal;
  }
}

export function refused(code: RefusalCode, message: string, hint?: string): ExportRefused {
  return new ExportRefused({ code, message, ...(hint === undefined ? {} : { hint }) });
}
