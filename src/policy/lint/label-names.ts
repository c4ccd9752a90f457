import { valueAt } from '../../pdp/model/fields.ts';
import { nearest } from '../../pdp/model/text.ts';
import { type Labels, labelNames } from '../kinds/head.ts';
import type { PolicyInfo } from '../load.ts';
import type { Ground } from './finding.ts';

/** Labels that say what becomes of a policy. */
const deciding: readonly string[] = [
  labelNames.effect,
  labelNames.origin,
  labelNames.role,
  labelNames.zone,
  labelNames.namespace,
  labelNames.mesh,
  labelNames.displayName,
  'placet.dev/tcp',
];

/** A label may be anybody's and mean anything; one that is nearly one of these means it: a trial would be in force. */
export function labelNamesOf(ground: Ground): void {
  for (const policy of ground.loaded.policies) {
    for (const [label, value] of Object.entries(policy.labels)) {
      const meant = meantBy(label, value, policy.labels);
      if (meant === undefined) continue;
      ground.report(policy.document, pathOf(ground, policy, label), {
        code: 'misspelt-label',
        message: `the label ${JSON.stringify(label)} decides nothing; ${JSON.stringify(meant)} does`,
        hint: `write ${JSON.stringify(meant)}, or another name`,
      });
    }
  }
}

function meantBy(label: string, value: string, labels: Labels): string | undefined {
  if (deciding.includes(label)) return undefined;
  const [domain, name] = parts(label);
  const meant = deciding.find((one) => {
    const [ownDomain, ownName] = parts(one);
    if (nearest(name, [ownName]) === undefined) return false;
    if (domain !== '') return nearest(domain, [ownDomain]) !== undefined;
    return nearest(label, [one]) !== undefined || (one === labelNames.effect && value === 'shadow');
  });
  return meant !== undefined && Object.hasOwn(labels, meant) ? undefined : meant;
}

/** Without a slash the domain may be before the last dot. */
function parts(label: string): readonly [domain: string, name: string] {
  const end = label.includes('/') ? label.indexOf('/') : label.lastIndexOf('.');
  return [label.slice(0, Math.max(end, 0)), label.slice(end + 1)];
}

/** Its fields stand in the document itself, or beside its metadata. */
function pathOf(ground: Ground, { document, path }: PolicyInfo, label: string) {
  const { value } = ground.documents[document] as { value: unknown };
  for (const root of [path, path.slice(0, -1)])
    for (const fields of [['labels'], ['metadata', 'labels']]) {
      const labels = [...root, ...fields];
      if (Object.hasOwn(Object(valueAt(value, labels)), label)) return [...labels, label];
    }
  return path;
}
