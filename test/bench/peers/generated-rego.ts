import type { PlainRule, Workload } from '../workloads/types.ts';

/** Every rule as a rule of Rego, written so that OPA's rule index can tell them apart by equality. */
export function generatedRego(workload: Workload): string {
  return workload.name === 'S' ? mesh(workload.rules) : attributes(workload.rules);
}

function mesh(rules: readonly PlainRule[]): string {
  const lines = [
    'package placet',
    'default allow := false',
    'namespace := substring(input.source.spiffeId, 0, indexof(input.source.spiffeId, "/sa/"))',
    'allow if { not denied; granted }',
    'denied if input.source.spiffeId == ""',
    'denied if deny_prefix(namespace)',
    'granted if grant_prefix(namespace)',
  ];
  for (const { tier, when } of rules) {
    const { match, values } = when[0]!;
    if (match === 'exact') {
      lines.push(`${tier === 2 ? 'denied' : 'granted'} if input.source.spiffeId == ${quote(values[0]!)}`);
    } else {
      lines.push(`${tier === 2 ? 'deny' : 'grant'}_prefix(n) if n == ${quote(values[0]!.slice(0, -1))}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function attributes(rules: readonly PlainRule[]): string {
  const lines = [
    'package placet',
    'default allow := false',
    'location := concat("", [input.source.attributes["site:location"], "/"])',
    'allow if { not denied; granted }',
  ];
  for (const { tier, when } of rules) {
    const parts: string[] = [];
    for (const { side, key, match, values } of when) {
      if (key === 'placet:namespace') continue;
      const seen = `input.${side}.attributes[${quote(key)}]`;
      if (match === 'under') parts.push(located(values));
      else if (values.length === 1) parts.push(`${seen} == ${quote(values[0]!)}`);
      else parts.push(`${seen} in {${values.map(quote).join(', ')}}`);
    }
    lines.push(`${tier === 2 ? 'denied' : 'granted'} if { ${parts.join('; ')} }`);
  }
  return `${lines.join('\n')}\n`;
}

function located(values: readonly string[]): string {
  if (values.length === 1) return `startswith(location, ${quote(`${values[0]}/`)})`;
  return `strings.any_prefix_match(location, [${values.map((value) => quote(`${value}/`)).join(', ')}])`;
}

const quote = (text: string): string => JSON.stringify(text);
