import { z } from 'zod';
import { choice, list, name, object, port, strings } from '../schema/fields.ts';
import { type Flaw, sound, whole } from '../schema/flaw.ts';
import {
  type MatchType,
  methodFlaw,
  pathMatchFlaw,
  sniFlaw,
  spiffeMatchFlaw,
} from '../schema/match-flaws.ts';
import { action, clients } from './tag-form.ts';

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

export const matcher = object({
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
      const parts = Object.values(value).filter((part) => part !== undefined && !isEmpty(part));
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

/** Kinds that Kuma knows at the top and this version does not select by. */
const laterTargets = [
  'MeshSubset',
  'MeshGateway',
  'MeshService',
  'MeshServiceSubset',
  'MeshMultiZoneService',
  'MeshExternalService',
  'MeshGatewayRoute',
  'MeshHTTPRoute',
  'HTTPRoute',
  'Proxy',
  'Service',
  'ServiceSubset',
];

const target = object(
  {
    kind: choice(['Mesh', 'Dataplane'], 'The whole mesh, or dataplanes of it.', {
      unread: laterTargets,
    }).optional(),
    labels: strings('Labels that the dataplane must have.').optional(),
    name: name('The name of one dataplane.').optional(),
    namespace: name('The namespace of the dataplane that is named.').optional(),
    sectionName: z
      .union([z.string().min(1), port('A port.')])
      .meta({ description: "An inbound's name or its port." })
      .optional(),
  },
  'What the policy governs. Not given: the whole mesh.',
).check(
  whole((value) => {
    const fields = Object.keys(value).filter((key) => targetFields.has(key));
    if (value.kind === undefined && fields.length > 0)
      return [{ code: 'missing', message: 'got nothing, want "Mesh" or "Dataplane"', path: ['kind'] }];
    if (value.kind === 'Mesh')
      return fields.map((field) => ({
        code: 'conflict',
        message: `got "${field}" beside kind "Mesh", want it beside kind "Dataplane" only`,
        path: [field],
      }));
    const flaws: Flaw[] = [];
    if (value.name !== undefined && value.labels !== undefined)
      flaws.push(bothOf('name', 'labels', ['labels']));
    if (value.namespace !== undefined && value.name === undefined)
      flaws.push({
        code: 'missing',
        message: 'got nothing, want the name beside the namespace',
        path: ['name'],
      });
    return flaws;
  }),
);

const targetFields = new Set(['labels', 'name', 'namespace', 'sectionName']);

export const meshTrafficPermission = object(
  {
    targetRef: target.optional(),
    default: lists.optional(),
    rules: list(object({ default: lists }), 'Lists, in the shape that Kuma ships.').optional(),
    from: list(
      object({ targetRef: clients.optional(), default: object({ action }, 'What happens to them.') }),
      'Permissions by tags: a later item overrides an earlier one.',
    ).optional(),
  },
  'Who may send requests to inbounds of a mesh.',
).check(
  whole((value, hasUnknown) => {
    const forms = ['default', 'rules', 'from'].filter(
      (form) => value[form as keyof typeof value] !== undefined,
    );
    if (forms.length === 1 || (forms.length === 0 && hasUnknown)) return [];
    if (forms.length === 0)
      return [{ code: 'missing', message: 'got none of "default", "rules" and "from", want one of them' }];
    return forms.slice(1).map((form) => bothOf(forms[0]!, form, [form]));
  }),
);

export type MeshTrafficPermissionSpec = z.infer<typeof meshTrafficPermission>;
export type Matcher = z.infer<typeof matcher>;
export type Lists = z.infer<typeof lists>;
export type TopTarget = z.infer<typeof target>;

function bothOf(first: string, second: string, path: string[]): Flaw {
  return { code: 'conflict', message: `got both "${first}" and "${second}", want one of them`, path };
}

function isEmpty(part: unknown): boolean {
  return typeof part === 'object' && part !== null && Object.keys(part).length === 0;
}
