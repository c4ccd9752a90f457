import { keys, type Rule } from '../../pdp/model/rule.ts';
import { entries, field, items, textOf, typeOf } from './json.ts';
import { checkedBy, payload, verifiedBy } from './tokens/token.ts';

/** Texts that policies or filters compare with: where verdicts change, they change near these. */
export interface Mentioned {
  readonly ids: Set<string>;
  readonly paths: Set<string>;
  readonly methods: Set<string>;
  readonly snis: Set<string>;
  readonly trustDomains: Set<string>;
  /** Values of attributes of the source that are no identity, by key. */
  readonly attributes: Map<string, Set<string>>;
  /** What filters read that requests are not made with, in words. */
  readonly others: Set<string>;
}

export function nothingMentioned(): Mentioned {
  return {
    ids: new Set(),
    paths: new Set(),
    methods: new Set(),
    snis: new Set(),
    trustDomains: new Set(),
    attributes: new Map(),
    others: new Set(),
  };
}

/** What the conditions of rules compare with. Rules that can never be about this mesh are left out. */
export function mentionedByRules(rules: readonly Rule[], mesh: string | undefined, into: Mentioned): void {
  for (const { when } of rules) {
    const elsewhere = when.some(
      ({ side, key, op, values }) =>
        side === 'destination' &&
        key === keys.mesh &&
        op === 'in' &&
        !values.some((pattern) => pattern.match !== 'exact' || pattern.value === mesh),
    );
    if (elsewhere) continue;
    for (const { side, key, values } of when) {
      if (side === 'destination') continue;
      for (const { value } of values) placeFor(key, into).add(value);
    }
  }
}

function placeFor(key: string, into: Mentioned): Set<string> {
  switch (key) {
    case keys.spiffeId:
      return into.ids;
    case keys.trustDomain:
      return into.trustDomains;
    case keys.path:
      return into.paths;
    case keys.method:
      return into.methods;
    case keys.sni:
      return into.snis;
    default: {
      const values = into.attributes.get(key) ?? new Set<string>();
      into.attributes.set(key, values);
      return values;
    }
  }
}

const patterns = ['exact', 'prefix', 'suffix', 'contains'] as const;

/** What a filter compares with, by what it reads. Walked without recursion: what is too deep is refused elsewhere. */
export function mentionedByFilter(filter: unknown, into: Mentioned): void {
  const waiting: [value: unknown, place: Set<string> | undefined][] = [[filter, undefined]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, place] = next;
    if (place !== undefined && !asksForAnyPath(value, place, into)) addTexts(value, place);
    const input = field(value, 'input');
    const here = input === undefined ? place : placeOfInput(input, into);
    const other = otherInput(input === undefined ? value : field(input, 'typed_config'));
    if (other !== undefined) into.others.add(other);
    for (const [key, inner] of entries(value)) {
      if (key === 'input') continue;
      if (key === 'map' && here !== undefined) for (const [text] of entries(inner)) here.add(text);
      // A tree's children read what they say themselves.
      waiting.push([inner, key === 'map' ? undefined : (placeOfKey(key, value, into) ?? here)]);
    }
    for (const inner of items(value)) waiting.push([inner, place]);
  }
}

/** Whether there is a path: what it says is not read. */
function asksForAnyPath(value: unknown, place: Set<string>, { paths }: Mentioned): boolean {
  return place === paths && field(value, 'safe_regex', 'regex') === '[\\s\\S]+';
}

function addTexts(value: unknown, place: Set<string>): void {
  for (const pattern of patterns) {
    const text = field(value, pattern);
    if (typeof text === 'string') place.add(text);
  }
  const regex = field(value, 'safe_regex', 'regex');
  if (typeof regex === 'string') place.add(literalHead(regex));
}

function placeOfInput(input: unknown, into: Mentioned): Set<string> | undefined {
  const type = typeOf(field(input, 'typed_config'));
  if (type.endsWith('.UriSanInput') || type.endsWith('.DnsSanInput')) return into.ids;
  if (type.endsWith('.ServerNameInput')) return into.snis;
  if (type.endsWith('.DynamicMetadataInput')) return placeOfClaim(field(input, 'typed_config'), into);
  return placeOfHeader(field(input, 'typed_config', 'header_name'), into);
}

/** What a token states, or whom it is about. */
function placeOfClaim(config: unknown, into: Mentioned): Set<string> | undefined {
  const [first, name, key] = items(field(config, 'path')).map((one) => textOf(field(one, 'key')));
  if (field(config, 'filter') !== verifiedBy || first !== payload || name === undefined) return undefined;
  if (name === 'attributes' && key !== undefined) return placeFor(key, into);
  return name === 'sub' ? into.ids : undefined;
}

/** Headers but path and method, metadata and state: a request may have them, and those that are tried have not. */
function otherInput(value: unknown): string | undefined {
  const type = typeOf(value);
  if (type.endsWith('.DynamicMetadataInput'))
    return [verifiedBy, checkedBy].includes(textOf(field(value, 'filter')) ?? '')
      ? 'tokens'
      : 'dynamic metadata';
  if (type.endsWith('.FilterStateInput')) return 'filter state';
  if (field(value, 'metadata') !== undefined) return 'dynamic metadata';
  const name = field(value, 'header', 'name') ?? field(value, 'header_name');
  return typeof name === 'string' && name !== ':path' && name !== ':method'
    ? `the header ${name}`
    : undefined;
}

function placeOfKey(key: string, owner: unknown, into: Mentioned): Set<string> | undefined {
  switch (key) {
    case 'principal_name':
    case 'principalName':
    case 'san_matcher':
    case 'sanMatcher':
      return into.ids;
    case 'url_path':
    case 'urlPath':
      return into.paths;
    case 'requested_server_name':
    case 'requestedServerName':
      return into.snis;
    case 'string_match':
    case 'stringMatch':
      return placeOfHeader(field(owner, 'name'), into);
    default:
      return undefined;
  }
}

function placeOfHeader(name: unknown, into: Mentioned): Set<string> | undefined {
  if (name === ':path') return into.paths;
  return name === ':method' ? into.methods : undefined;
}

/** What every match of a pattern begins with, as far as it is plain text. */
function literalHead(regex: string): string {
  let head = '';
  for (let at = regex.startsWith('^') ? 1 : 0; at < regex.length; at++) {
    let char = regex[at] as string;
    if (char === '\\' && /[^A-Za-z0-9]/.test(regex[at + 1] ?? 'a')) char = regex[++at] as string;
    else if ('\\.[({*+?|^$'.includes(char)) return '*?{'.includes(char) ? head.slice(0, -1) : head;
    head += char;
  }
  return head;
}
