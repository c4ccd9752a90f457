import { readConnective, type Words } from './connectives.ts';
import { type Cursor, chosen } from './cursor.ts';
import type { Test } from './evidence.ts';
import { readHeaderMatcher } from './header-matcher.ts';
import { type FilterKind, serverName } from './inputs.ts';
import { readMetadataMatcher, readPathMatcher } from './request-matchers.ts';
import { readTextMatcher } from './text-matcher.ts';

const words: Words = { and: 'and_rules', or: 'or_rules', not: 'not_rule', list: 'rules' };
const read = ['header', 'url_path', 'requested_server_name', 'metadata'];
const others = [
  'destination_ip',
  'destination_port',
  'destination_port_range',
  'matcher',
  'uri_template',
  'sourced_metadata',
];
const kinds = ['any', words.and, words.or, words.not, ...read, ...others];

export function readPermission(cursor: Cursor, filter: FilterKind): Test | undefined {
  const fields = cursor.fields(...kinds);
  const found = fields && chosen(cursor, fields, kinds);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  if (others.includes(kind)) return config.unknown(`the permission ${kind}`);
  if (kind === 'header') return readHeaderMatcher(config, filter);
  if (kind === 'url_path') return readPathMatcher(config);
  if (kind === 'metadata') return readMetadataMatcher(config);
  if (kind !== 'requested_server_name')
    return readConnective(kind, config, words, (part) => readPermission(part, filter));
  const test = readTextMatcher(config, 'envoy');
  // No server name is the empty text here.
  return test && (({ peer }) => test(serverName(peer.sni)));
}
