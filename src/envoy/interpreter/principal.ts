import { readConnective, type Words } from './connectives.ts';
import { type Cursor, chosen } from './cursor.ts';
import { metered, type Test } from './evidence.ts';
import { readHeaderMatcher } from './header-matcher.ts';
import type { FilterKind } from './inputs.ts';
import { readMetadataMatcher, readPathMatcher } from './request-matchers.ts';
import { readTextMatcher } from './text-matcher.ts';

const words: Words = { and: 'and_ids', or: 'or_ids', not: 'not_id', list: 'ids' };
const read = ['authenticated', 'custom', 'header', 'url_path', 'metadata'];
const others = ['source_ip', 'direct_remote_ip', 'remote_ip', 'filter_state', 'sourced_metadata'];
const kinds = ['any', words.and, words.or, words.not, ...read, ...others];

export function readPrincipal(cursor: Cursor, filter: FilterKind): Test | undefined {
  const fields = cursor.fields(...kinds);
  const found = fields && chosen(cursor, fields, kinds);
  if (found === undefined) return undefined;
  const [kind, config] = found;
  if (others.includes(kind)) return config.unknown(`the principal ${kind}`);
  if (kind === 'header') return readHeaderMatcher(config, filter);
  if (kind === 'url_path') return readPathMatcher(config);
  if (kind === 'metadata') return readMetadataMatcher(config);
  if (kind === 'authenticated' || kind === 'custom') {
    const test = kind === 'custom' ? readCustom(config) : readAuthenticated(config);
    return test && metered(test);
  }
  return readConnective(kind, config, words, (part) => readPrincipal(part, filter));
}

/** Any URI name, then any DNS name, then the subject, which is empty without a certificate. */
function readAuthenticated(cursor: Cursor): Test | undefined {
  const fields = cursor.fields('principal_name');
  if (fields === undefined) return undefined;
  const name = fields.get('principal_name');
  // Any TLS connection, with a certificate or without.
  if (name === undefined) return () => true;
  const test = readTextMatcher(name, 'envoy');
  return (
    test && (({ peer }) => peer.uriSans.some(test) || peer.dnsSans.some(test) || test(peer.subject ?? ''))
  );
}

const mtls = 'envoy.extensions.rbac.principals.mtls_authenticated.v3.Config';

/** One name of a certificate whose chain was verified. */
function readCustom(cursor: Cursor): Test | undefined {
  const extension = cursor.extension();
  if (extension === undefined) return undefined;
  const { type, config } = extension;
  if (type !== mtls) return config.unknown(`the principal ${type}`);
  const fields = config.fields('san_matcher', 'any_validated_client_certificate');
  if (fields === undefined) return undefined;
  const any = fields.get('any_validated_client_certificate')?.flag() ?? false;
  const san = fields.get('san_matcher');
  if (san === undefined) {
    if (!any) return config.refuse('empty', 'got neither san_matcher nor any_validated_client_certificate');
    return ({ peer }) => peer.validated;
  }
  const test = readSan(san);
  return test && (({ peer }) => peer.validated && peer.uriSans.some(test));
}

function readSan(cursor: Cursor) {
  const fields = cursor.fields('san_type', 'matcher', 'oid');
  const type = fields
    ?.get('san_type')
    ?.choice('SAN_TYPE_UNSPECIFIED', 'EMAIL', 'DNS', 'URI', 'IP_ADDRESS', 'OTHER_NAME');
  const matcher = fields?.get('matcher');
  if (fields === undefined) return undefined;
  if (matcher === undefined || type === undefined || type === 'SAN_TYPE_UNSPECIFIED') {
    return cursor.refuse('missing', 'want san_type and matcher');
  }
  if (type !== 'URI') return cursor.unknown(`a name of type ${type}`);
  return readTextMatcher(matcher, 'envoy');
}
