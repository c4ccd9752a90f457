import { z } from 'zod';
import { choice, list, object, strings } from '../schema/fields.ts';
import { type Flaw, sound, whole } from '../schema/flaw.ts';
import {
  type MatchType,
  methodFlaw,
  pathMatchFlaw,
  sniFlaw,
  spiffeMatchFlaw,
} from '../schema/match-flaws.ts';
import { targetRefSchema } from '../targets/ref-schema.ts';
import type { TargetKind } from '../targets/target-ref.ts';
import { withHints } from './ref-hints.ts';
import { firstItems, laterItems } from './tag-form.ts';

const matchType = choice(
  ['Exact', 'Prefix', 'PathPrefix'],
  'Exact: the value itself. Prefix: any string that starts with it. PathPrefix: the value and all below it by whole segments.',
);

function match(description: string, flaw: (type: MatchType, value: string) => Flaw | undefined) {
  return object({ type: matchType, value: z.string() }, description).check(
    sound(({ type, value }) => {
      const found = flaw(type, value);
      return found && { ...found, path: ['value'] };
    }),
  );
}

const spiffeMatch = match('The SPIFFE ID that the client proves.', spiffeMatchFlaw);
const pathMatch = match('The path of the request, without its query.', pathMatchFlaw);

const sniMatch = object(
  {
    type: choice(['Exact'], 'Host names are compared whole.'),
    value: z.string().check(sound(sniFlaw)).meta({ description: 'A host name.' }),
  },
  'The server name that the client asks for in its TLS handshake.',
);

const matcher = object({
  spiffeId: spiffeMatch.optional(),
  spiffeID: spiffeMatch.optional(),
  path: pathMatch.optional(),
  method: z.string().check(sound(methodFlaw)).meta({ description: 'The method of the request.' }).optional(),
  sni: sniMatch.optional(),
  dataplaneLabels: strings("Labels that the client's workload must have.").optional(),
})
  .meta({ description: 'Holds if all that is written in it holds.', minProperties: 1 })
  .check(
    whole((value, hasUnknown) => {
      if (value.spiffeId !== undefined && value.spiffeID !== undefined)
        return [bothOf('spiffeId', 'spiffeID', ['spiffeID'])];
      const { dataplaneLabels: labels, ...others } = value;
      const parts = [...Object.values(others), isEmpty(labels) ? undefined : labels].filter(isGiven);
      if (parts.length > 0 || hasUnknown) return [];
      const message =
        'got a matcher with nothing in it, want "spiffeId", "path", "method", "sni" or "dataplaneLabels"';
      return [
        { code: 'empty', message, hint: 'to match every identity of a trust domain, write a PathPrefix' },
      ];
    }),
  );

const lists = object(
  {
    deny: list(matcher, 'Requests that are denied, whatever allows them.').optional(),
    allowWithShadowDeny: list(matcher, 'Allowed, and denied in the shadow verdict.').optional(),
    allow: list(matcher, 'Allowed unless something denies.').optional(),
  },
  'Who is denied and who is allowed.',
);

const topKinds: readonly TargetKind[] = [
  'Mesh',
  'MeshSubset',
  'MeshService',
  'MeshServiceSubset',
  'Dataplane',
  'MeshGatewayRoute',
  'MeshHTTPRoute',
];

const target = withHints(targetRefSchema('top', topKinds, true), {
  MeshGateway: 'select its proxies by kind "Dataplane", or a route of it by kind "MeshGatewayRoute"',
  MeshMultiZoneService: 'select inbounds by their tags: kind "MeshService" or "MeshSubset"',
  MeshExternalService: 'a permission governs inbounds of the mesh, and this is outside of it',
  MeshTCPRoute: 'select the inbound by kind "Dataplane" and "sectionName"',
});

export const meshTrafficPermission = object(
  {
    targetRef: target.optional(),
    default: lists.optional(),
    rules: list(object({ default: lists }), 'Lists, in the shape that Kuma ships.').optional(),
    from: laterItems.optional(),
    conf: object({ from: firstItems }, 'Permissions by tags in their older form.').optional(),
  },
  'Who may send requests to inbounds of a mesh.',
).check(
  whole((value, hasUnknown) => {
    const forms = ['default', 'rules', 'from', 'conf'].filter(
      (form) => value[form as keyof typeof value] !== undefined,
    );
    if (forms.length === 1 || (forms.length === 0 && hasUnknown)) return [];
    if (forms.length === 0)
      return [
        { code: 'missing', message: 'got none of "default", "rules", "from" and "conf", want one of them' },
      ];
    return forms.slice(1).map((form) => bothOf(forms[0]!, form, [form]));
  }),
);

export type MeshTrafficPermissionSpec = z.infer<typeof meshTrafficPermission>;
export type Matcher = z.infer<typeof matcher>;
export type Lists = z.infer<typeof lists>;

function bothOf(first: string, second: string, path: string[]): Flaw {
  return { code: 'conflict', message: `got both "${first}" and "${second}", want one of them`, path };
}

function isGiven(part: unknown): boolean {
  return part !== undefined;
}

/** Of the parts this one is right with nothing in it. */
function isEmpty(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.keys(part).length === 0;
}
