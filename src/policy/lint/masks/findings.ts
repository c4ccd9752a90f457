import { pushTo } from '../../../pdp/model/lists.ts';
import { effectOf, type Tier } from '../../../pdp/model/rule.ts';
import type { PolicyInfo } from '../../load.ts';
import { type Ground, some, whereabouts } from '../finding.ts';
import type { InboundOf } from '../inventory.ts';
import { barringIn, inertIn } from './certificates.ts';
import { type Mask, masksOf } from './masks.ts';
import { type Group, groupsOf } from './scopes.ts';
import { sortWords } from './sorts.ts';

const mostNamed = 3;

/** What hides what, inbound by inbound, each said once for all of them. */
export function masks(ground: Ground): void {
  const { loaded } = ground;
  const groups = groupsOf(loaded) ?? [];
  for (const { mesh, policies, groups: where } of inertIn(loaded.inventory, groups)) {
    const [first] = policies;
    const names = quoted(policies);
    const [own, theirs, hint] =
      mesh.certificates === 'tags'
        ? [
            'by SPIFFE ID',
            'tags and no SPIFFE ID',
            'write them by tags, or take them out; they hold once the Mesh document says "certificates: spiffe"',
          ]
        : [
            'by tags',
            'SPIFFE IDs and no tags',
            'write them by SPIFFE ID, as "placet migrate" does, or take them out; if clients carry tags, say "certificates: tags" in the Mesh document',
          ];
    ground.report(first!.document, first!.path, {
      code: 'other-certificates',
      message: `what is said ${own} in ${names} is without effect: clients of the mesh ${JSON.stringify(mesh.name)} carry ${theirs}, at ${places(where)}`,
      hint,
    });
  }
  for (const { ban, mesh, masked, groups: where } of barringIn(loaded.inventory, groups))
    ground.report(ban.origin.document, ban.origin.path, {
      code: 'bars-everybody',
      message: `denies every client with a certificate of the mesh ${JSON.stringify(mesh.name)} at ${places(where)}: it has a SPIFFE ID, and whether it has these tags nobody knows; so nobody is let in by ${quoted(masked)}`,
      hint: 'deny by SPIFFE ID instead, as "placet migrate" does',
    });
  for (const several of byStrong(masksOf(loaded, groups))) reportMasks(ground, several);
}

function reportMasks(ground: Ground, several: readonly Mask[]): void {
  const [{ rules, tiers, sorts }] = several as [Mask];
  const who =
    sorts.includes('ids') && sorts.includes('tags')
      ? 'who gives both a SPIFFE ID and tags'
      : 'whom both match';
  const shown = several.slice(0, mostNamed).map(({ weak, rules: [, rule], sorts: [, sort], groups }) => {
    const said = `${sortWords[sort]}, ${tierWords(rule.tier as Tier)}`;
    return `${JSON.stringify(weak.name)} (${whereabouts(ground, rule)}, ${said}) at ${places(groups)}`;
  });
  const more = several.length - shown.length;
  const list = more > 0 ? [...shown, `${more} more`] : shown;
  const verb = effectOf(tiers[0]) === 'deny' ? 'is denied' : 'is allowed';
  const { document, path } = rules[0].origin;
  ground.report(document, path, {
    code: 'masks',
    message: `masks ${list.join('; ')}: ${who} ${verb} by this (tier ${tiers[0]})`,
    hint: 'where that is not meant, let one of them select other clients or other inbounds',
  });
}

/** Those of one tier of one policy before those of one sort. */
function byStrong(masks: readonly Mask[]): Iterable<readonly Mask[]> {
  const found = new Map<string, Mask[]>();
  for (const mask of masks) {
    const key = `${mask.strong.order} ${mask.tiers[0]} ${mask.sorts[1]}`;
    pushTo(found, key, mask);
  }
  return found.values();
}

function tierWords(tier: Tier): string {
  if (tier === 4) return 'deny in tier 4, a default';
  return `${effectOf(tier)} in tier ${tier}`;
}

function quoted(policies: readonly PolicyInfo[]): string {
  return some(policies.map(({ name }) => name));
}

/** `inbound default/web-1:http`; of several the first. */
function places(groups: readonly Group[]): string {
  const count = groups.reduce((sum, { inbounds }) => sum + inbounds.length, 0);
  const first: string[] = [];
  for (const { inbounds } of groups) {
    if (first.length >= mostNamed) break;
    first.push(...inbounds.slice(0, mostNamed - first.length).map(nameOf));
  }
  const shown = first.join(', ');
  if (count === 1) return `inbound ${shown}`;
  if (count <= mostNamed) return `inbounds ${shown}`;
  return `${count} inbounds: ${shown} and ${count - mostNamed} more`;
}

function nameOf({ dataplane, inbound }: InboundOf): string {
  return `${dataplane.mesh}/${dataplane.name}:${inbound.name ?? inbound.port}`;
}
