import { exportLimits } from './limits.ts';
import { ExportRefused, refused } from './refused.ts';
import type { ExportOptions, PolicyReport, SizeReport } from './types.ts';

/** What is not carried over exactly fails the export, unless it was asked for by name; nothing is dropped in silence. */
export function insist(policies: readonly PolicyReport[], options: ExportOptions): void {
  const wider = policies.filter((one) => one.class === 'wider (paper)');
  if (wider.length > 0 && options.paperAsWritten !== true)
    throw listed(
      'as-written',
      wider,
      "got the tag paper's table, which lets in more than the PDP",
      'the form list is exact; --paper-as-written exports the table as it is',
    );
  const none = policies.filter((one) => one.class === 'not exportable');
  if (none.length > 0)
    throw listed('not-exact', none, `got ${counted(none)} that Envoy cannot enforce`, undefined);
  const narrower = policies.filter((one) => one.class === 'narrower');
  if (narrower.length > 0 && options.allowNarrower !== true)
    throw listed(
      'not-exact',
      narrower,
      `got ${counted(narrower)} not carried over exactly`,
      '--allow-narrower exports them so that they let in less than the PDP',
    );
}

function counted({ length }: readonly PolicyReport[]): string {
  return length === 1 ? 'a policy' : `${length} policies`;
}

function listed(
  code: 'as-written' | 'not-exact',
  policies: readonly PolicyReport[],
  message: string,
  hint: string | undefined,
): ExportRefused {
  const reasons = policies.map((one) => ({
    name: one.name,
    reason: `${one.class}: ${one.notes.join('; ')}`,
  }));
  return new ExportRefused({ code, message, ...(hint === undefined ? {} : { hint }), policies: reasons });
}

export function insistOnSize({ bytes, depth }: SizeReport, maxBytes: number | undefined): void {
  if (maxBytes !== undefined && bytes > maxBytes)
    throw refused('too-large', `got ${bytes} bytes of filters, want at most ${maxBytes}`);
  if (depth > exportLimits.depth)
    throw refused(
      'too-deep',
      `got matchers ${depth} levels deep, want at most ${exportLimits.depth}: Envoy reads no more`,
    );
}

export function insistOnCount(rules: number): void {
  if (rules > exportLimits.rules)
    throw refused(
      'too-large',
      `got ${rules} rules on one listener, want at most ${exportLimits.rules}`,
      'ask the PDP instead: ext_authz has no such bound',
    );
}
