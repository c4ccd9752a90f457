import type { PolicyKind } from '../targets/policy-kind.ts';
import type { Json } from './structural.ts';

/** What stands between fields, which schemas have no words for: rules that the API server checks (CEL). */
export interface Validation {
  /** Below `spec`; a part that ends in `[]` means each entry. */
  readonly at: string;
  readonly rule: string;
  readonly message: string;
}

/** More would cost the API server more than it spends on one object, and `placet` takes no more conditions either. */
export const mostExpressions = 128;

const expressions = (at: string): Validation => ({
  at: `${at}.matchExpressions[]`,
  rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
  message: 'want at least one value for "In" and "NotIn", and none for "Exists" and "DoesNotExist"',
});

const access: readonly Validation[] = ['from[]', 'to[]'].flatMap((at) => [
  {
    at,
    rule: '!has(self.workloadSets)',
    message: 'got "workloadSets", want "workloadSelector": sets of workloads are defined nowhere',
  },
  expressions(`${at}.workloadSelector`),
]);

function oneOf(at: string, first: string, second: string): Validation {
  return {
    at,
    rule: `!(has(self.${first}) && has(self.${second}))`,
    message: `got both "${first}" and "${second}", want one of them`,
  };
}

const targets: readonly Validation[] = [
  {
    at: 'targetRef',
    rule: 'has(self.kind) || !(has(self.name) || has(self.labels) || has(self.tags) || has(self.sectionName))',
    message: 'got no "kind", want it beside the other fields',
  },
  oneOf('targetRef', 'name', 'labels'),
  {
    at: 'targetRef',
    rule: '!has(self.__namespace__) || has(self.name)',
    message: 'got "namespace" alone, want the name beside it',
  },
];

const byKind: Readonly<Record<string, readonly Validation[]>> = {
  AccessPolicy: access,
  PrivilegedAccessPolicy: access,
  Site: [expressions('attributeRules[].from[].site')],
  Workload: [oneOf('', 'images', 'containers'), oneOf('', 'initImages', 'initContainers')],
  Dataplane: [oneOf('', 'inbounds', 'networking'), oneOf('', 'outbounds', 'networking')],
  MeshTrafficPermission: [
    {
      at: '',
      rule: '[has(self.default), has(self.rules), has(self.from), has(self.conf)].exists_one(x, x)',
      message: 'want one of "default", "rules", "from" and "conf"',
    },
    ...targets,
    ...['default', 'rules[].default'].flatMap((lists) =>
      ['deny', 'allowWithShadowDeny', 'allow'].map((list) =>
        oneOf(`${lists}.${list}[]`, 'spiffeId', 'spiffeID'),
      ),
    ),
  ],
};

export function validationsOf(kind: string, described: PolicyKind | undefined): readonly Validation[] {
  if (described === undefined) return byKind[kind] ?? [];
  const later = described.directions.length === 0 ? ['default'] : [...described.directions];
  return [...targets, ...later.map((field) => oneOf('', 'conf', field))];
}

/** Adds each to the part that it is about. */
export function withValidations(schema: Json, validations: readonly Validation[]): Json {
  return validations.reduce((all, { at, ...one }) => add(all, at === '' ? [] : at.split('.'), one), schema);
}

function add(schema: Json, path: readonly string[], one: Omit<Validation, 'at'>): Json {
  const [part, ...rest] = path;
  if (part === undefined) {
    const known = (schema['x-kubernetes-validations'] ?? []) as readonly unknown[];
    return { ...schema, 'x-kubernetes-validations': [...known, one] };
  }
  const name = part.replace('[]', '');
  const fields = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const field = fields[name];
  if (field === undefined)
    throw new Error(`got a validation of "${path.join('.')}", where there is no such field`);
  const below = part.endsWith('[]')
    ? { ...field, items: add(field['items'] as Json, rest, one) }
    : add(field, rest, one);
  return { ...schema, properties: { ...fields, [name]: below } };
}
