import { canonical } from '../../pdp/model/aliases.ts';
import { defaultTemplate, type Site } from '../../pdp/model/inventory.ts';
import type { Path, Violation } from '../../pdp/model/violation.ts';
import { quote } from '../../pdp/model/words.ts';
import type { Head } from '../kinds/head.ts';
import type { SiteSpec } from '../kinds/site.ts';
import { violation } from '../schema/issues.ts';
import { levels, selectorConditions } from './access.ts';
import type { Pool } from './pool.ts';

/** This site out of all Site documents, with the trust domains of its peers. */

export interface SiteEntry {
  readonly head: Head;
  readonly spec: SiteSpec;
}

export interface SiteFound {
  readonly site: Site;
  readonly violations: readonly { readonly document: number; readonly violation: Violation }[];
}

const unnamed: Site = {
  attributes: new Map(),
  ownTrustDomains: [],
  trustDomains: [],
  floor: 'reported',
  hierarchical: [],
  attributeRules: [],
};

/** `entries` in an order that does not depend on the order of documents; `ofPeers`: trust domains that they speak for. */
export function siteOf(entries: readonly SiteEntry[], pool: Pool, ofPeers: readonly string[]): SiteFound {
  if (entries.length === 0) return { site: unnamed, violations: [] };
  const said = entries.filter((entry) => entry.spec.local === true);
  const local = entries.length === 1 && entries[0]!.spec.local !== false ? entries[0]! : said[0];
  const problems: { document: number; violation: Violation }[] = [];
  if (local === undefined && entries.length > 1) {
    const names = entries.map((entry) => quote(entry.head.name)).join(', ');
    const message = `got ${entries.length} sites (${names}), want "local: true" on the one that is this site`;
    problems.push(problem(entries[0]!, [], 'conflict', message));
  }
  for (const other of said.slice(1)) {
    const message = `got a second local site, the first is ${quote(said[0]!.head.name)}`;
    problems.push(problem(other, ['local'], 'conflict', message));
  }
  const { trustDomains, clashes } = trustDomainsOf(local === undefined ? entries : [local, ...entries]);
  problems.push(...clashes);
  if (local === undefined) return { site: { ...unnamed, trustDomains }, violations: problems };
  const { head, spec } = local;
  const hierarchicalKeys = (spec.hierarchical ?? []).map(ofSource);
  const hierarchical = levels(hierarchicalKeys);
  const ownTrustDomains = namesOf(local).sort();
  const ofOthers = new Set([...entries.filter((one) => one !== local).flatMap(namesOf), ...ofPeers]);
  const sharedTrustDomains = ownTrustDomains.filter((name) => ofOthers.has(name));
  const site: Site = {
    name: head.name,
    ...(spec.gateway === undefined ? {} : { gateway: spec.gateway }),
    attributes: attributesOf(local),
    ownTrustDomains,
    ...(sharedTrustDomains.length === 0 ? {} : { sharedTrustDomains }),
    trustDomains,
    floor: spec.floor ?? 'reported',
    hierarchical: hierarchicalKeys,
    attributeRules: (spec.attributeRules ?? []).map(({ keys, from }) => ({
      keys: keys.map(ofSource),
      from: from.map(({ site: selector, namespaces }) => ({
        site: selectorConditions(selector ?? {}, 'source', hierarchical, pool),
        namespaces,
      })),
    })),
  };
  return { site, violations: problems };
}

function namesOf({ spec }: SiteEntry): string[] {
  return (spec.trustDomains ?? []).map((one) => (typeof one === 'string' ? one : one.name));
}

/** By whichever of its names it is written. */
function ofSource(key: string): string {
  return canonical(key, 'source');
}

export function attributesOf({ head, spec }: SiteEntry): ReadonlyMap<string, string> {
  const attributes = new Map([['site:name', head.name]]);
  if (spec.location !== undefined) attributes.set('site:location', spec.location);
  if (spec.environment !== undefined) attributes.set('site:environment', spec.environment);
  if (spec.fabric !== undefined) attributes.set('cl:fabric', spec.fabric);
  for (const [key, value] of Object.entries(spec.attributes ?? {})) attributes.set(key, value);
  return attributes;
}

/** One template a trust domain: two sites that differ about one would read the same certificate in two ways. */
function trustDomainsOf(entries: readonly SiteEntry[]) {
  const templates = new Map<string, string>();
  const clashes: { document: number; violation: Violation }[] = [];
  for (const entry of new Set(entries))
    for (const [index, written] of (entry.spec.trustDomains ?? []).entries()) {
      const name = typeof written === 'string' ? written : written.name;
      const template = (typeof written === 'string' ? undefined : written.template) ?? defaultTemplate;
      const known = templates.get(name);
      if (known === undefined) templates.set(name, template);
      else if (known !== template) {
        const message = `got the template ${quote(template)} for ${quote(name)}, which has ${quote(known)} elsewhere`;
        clashes.push(problem(entry, ['trustDomains', index], 'conflict', message));
      }
    }
  const trustDomains = [...templates].map(([name, template]) => ({ name, template }));
  return { trustDomains, clashes };
}

function problem(
  { head }: SiteEntry,
  path: Path,
  code: Violation['code'],
  message: string,
): { document: number; violation: Violation } {
  return { document: head.document, violation: violation([...head.specPath, ...path], code, message) };
}
