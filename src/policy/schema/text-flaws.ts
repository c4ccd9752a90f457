import { limits } from '../../pdp/model/limits.ts';
import { keys } from '../../pdp/model/rule.ts';
import { SpiffeId, TrustDomain } from '../../pdp/model/spiffe-id.ts';
import { nameOf, quote } from '../../pdp/model/words.ts';
import type { Flaw } from './flaw.ts';

/** What can be wrong with the texts that documents hold. No text is repaired: it is right, or refused. */

export function nameFlaw(value: string): Flaw | undefined {
  if (value === '') return { code: 'empty', message: 'got an empty string, want a name' };
  if (value.length > limits.nameBytes)
    return {
      code: 'limit',
      message: `got ${value.length} characters, want a name of at most ${limits.nameBytes}`,
    };
  const at = value.search(/[^A-Za-z0-9._-]/);
  if (at === -1) return undefined;
  const char = nameOf(String.fromCodePoint(value.codePointAt(at)!));
  return { code: 'value', message: `got ${char} in ${quote(value)}, want a name out of A-Z a-z 0-9 . _ -` };
}

/** `written` is the value as it stands in the document, where only a part of it is the ID. */
export function spiffeIdFlaw(value: string, written = value): Flaw | undefined {
  const parsed = SpiffeId.parse(value);
  return parsed.ok ? undefined : identityFlaw(written, 'a SPIFFE ID', parsed.fault);
}

export function trustDomainFlaw(value: string): Flaw | undefined {
  const parsed = TrustDomain.parse(value);
  if (parsed.ok) return undefined;
  const flaw = identityFlaw(value, 'a trust domain', parsed.fault);
  const id = SpiffeId.parse(value);
  return id.ok ? { ...flaw, hint: `write ${id.value.trustDomain.name}` } : flaw;
}

export function identityFlaw(value: string, want: string, fault: { message: string; hint?: string }): Flaw {
  const message = `got ${nameOf(value)}, want ${want}: ${fault.message}`;
  return fault.hint === undefined
    ? { code: 'spiffe-id', message }
    : { code: 'spiffe-id', message, hint: fault.hint };
}

/** A comma would be read as the end of an image where several are joined. */
export function imageFlaw(value: string): Flaw | undefined {
  if (value === '') return { code: 'empty', message: 'got an empty string, want an image' };
  if (/^[A-Za-z0-9][A-Za-z0-9._/:@+-]*$/.test(value)) return undefined;
  return {
    code: 'value',
    message: `got ${quote(value)}, want an image such as "registry.example/team/app@sha256:…"`,
  };
}

export function attributeKeyFlaw(value: string): Flaw | undefined {
  const own = value === keys.section || value === keys.route || value === keys.proxyType;
  if (own || value.startsWith('placet:') || value.startsWith('request:'))
    return { code: 'value', message: `got ${quote(value)}, which is Placet's own and no attribute` };
  if (value === '') return { code: 'empty', message: 'got an empty string, want an attribute key' };
  if (value.length > limits.attributeKeyBytes)
    return {
      code: 'limit',
      message: `got ${value.length} characters, want an attribute key of at most ${limits.attributeKeyBytes}`,
    };
  if (!hasSpace(value)) return undefined;
  return {
    code: 'value',
    message: `got ${quote(value)}, want an attribute key without spaces and control characters`,
  };
}

export function attributeValueFlaw(value: string): Flaw | undefined {
  if (value.length <= limits.attributeValueBytes) return undefined;
  return {
    code: 'limit',
    message: `got ${value.length} characters, want a value of at most ${limits.attributeValueBytes}`,
  };
}

function hasSpace(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f) return true;
  }
  return false;
}

export function portFlaw(value: number): Flaw | undefined {
  if (Number.isInteger(value) && value >= 1 && value <= 65_535) return undefined;
  return { code: 'value', message: `got ${nameOf(value)}, want a port from 1 to 65535` };
}

/** An attribute and a value of it. */
export function attributeFlaw(key: string, value: string): Flaw | undefined {
  return attributeKeyFlaw(key) ?? attributeValueFlaw(value);
}
