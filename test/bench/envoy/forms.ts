import type { Exporter } from '../../../src/envoy/export/exporter.ts';
import type { Filter } from '../../support/envoy/listeners.ts';

/** The ways in which the same permissions can stand in Envoy. */
export type FormName = 'no filter' | 'tree' | 'list' | 'legacy rules';

export const formNames: readonly FormName[] = ['no filter', 'tree', 'list', 'legacy rules'];

export interface Matcher {
  readonly type: 'Exact' | 'Prefix';
  readonly value: string;
  readonly effect: 'allow' | 'deny';
}

const url = (name: string) => `type.googleapis.com/${name}`;
const asked = { mesh: 'default', dataplane: 'backend-0', inbound: 'http' };

export function filtersOf(
  form: FormName,
  exporter: Exporter,
  matchers: readonly Matcher[],
): readonly Filter[] {
  if (form === 'no filter') return [];
  if (form === 'legacy rules') return legacy(matchers);
  return exporter.export(asked, { form }).filters as readonly Filter[];
}

/** As one would write it without matchers: a filter that denies, then one that allows, a principal for each matcher. */
function legacy(matchers: readonly Matcher[]): readonly Filter[] {
  const rules = (effect: Matcher['effect']) => ({
    action: effect.toUpperCase(),
    policies: {
      all: {
        permissions: [{ any: true }],
        principals: matchers
          .filter((one) => one.effect === effect)
          .map(({ type, value }) => ({
            authenticated: { principal_name: type === 'Exact' ? { exact: value } : { prefix: value } },
          })),
      },
    },
  });
  return (['deny', 'allow'] as const).map((effect) => ({
    name: 'envoy.filters.http.rbac',
    typed_config: { '@type': url('envoy.extensions.filters.http.rbac.v3.RBAC'), rules: rules(effect) },
  }));
}
