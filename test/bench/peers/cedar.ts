import * as cedar from '@cedar-policy/cedar-wasm/nodejs';
import type { PlainRule, Workload } from '../workloads/types.ts';
import type { Peer } from './types.ts';

/**
 * Cedar compiled to WebAssembly. What can stand in a policy's scope does (whole identities as the principal,
 * services and namespaces as the resource), since a scope is checked before a condition; the rest are conditions.
 */
export async function cedarWasm(workload: Workload): Promise<Peer> {
  const mesh = workload.name === 'S';
  const staticPolicies = Object.fromEntries(
    workload.rules.map((rule, i) => [`p${i}`, (mesh ? meshPolicy : attributesPolicy)(rule)]),
  );
  const parsed = cedar.preparsePolicySet('bench', { staticPolicies });
  if (parsed.type === 'failure') throw new Error(`cedar refuses the policies: ${parsed.errors[0]?.message}`);
  const call = mesh ? meshCall : attributesCall;
  return {
    name: 'cedar-wasm',
    decide: (request) => {
      const answer = cedar.statefulIsAuthorized(call(request));
      if (answer.type === 'failure') throw new Error(`cedar: ${answer.errors[0]?.message}`);
      return answer.response.decision === 'allow';
    },
  };
}

const quote = (text: string): string => JSON.stringify(text);

function meshPolicy({ tier, when }: PlainRule): string {
  const { match, values } = when[0]!;
  const effect = tier === 2 ? 'forbid' : 'permit';
  if (match === 'exact') return `${effect}(principal == Client::${quote(values[0]!)}, action, resource);`;
  return `${effect}(principal, action, resource) when { context.spiffeId like ${quote(`${values[0]}*`)} };`;
}

function attributesPolicy({ tier, when }: PlainRule): string {
  let resource = 'resource';
  const parts: string[] = [];
  for (const { side, key, match, values } of when) {
    if (key === 'placet:namespace') continue;
    const seen = `context.${side}[${quote(key)}]`;
    if (key === 'service:name' && resource === 'resource')
      resource = `resource == Service::${quote(values[0]!)}`;
    else if (match === 'under') {
      const each = values.map((value) => `${seen} == ${quote(value)} || ${seen} like ${quote(`${value}/*`)}`);
      parts.push(`(${each.join(' || ')})`);
    } else if (values.length === 1) parts.push(`${seen} == ${quote(values[0]!)}`);
    else parts.push(`[${values.map(quote).join(', ')}].contains(${seen})`);
  }
  const effect = tier === 2 ? 'forbid' : 'permit';
  return `${effect}(principal, action, ${resource}) when { ${parts.join(' && ')} };`;
}

const action = { type: 'Action', id: 'connect' };

function meshCall(request: unknown): cedar.StatefulAuthorizationCall {
  const { source, destination } = request as {
    source: { spiffeId: string };
    destination: { dataplane: string };
  };
  return {
    principal: { type: 'Client', id: source.spiffeId },
    action,
    resource: { type: 'Dataplane', id: destination.dataplane },
    context: { spiffeId: source.spiffeId },
    entities: [],
    preparsedPolicySetId: 'bench',
  };
}

function attributesCall(request: unknown): cedar.StatefulAuthorizationCall {
  const { source, destination } = request as Record<
    'source' | 'destination',
    { attributes: Record<string, string> }
  >;
  return {
    principal: { type: 'Client', id: 'client' },
    action,
    resource: { type: 'Service', id: destination.attributes['service:name']! },
    context: { source: source.attributes, destination: destination.attributes },
    entities: [],
    preparsedPolicySetId: 'bench',
  };
}
