/** The templates of a MeshIdentity: text with `{{ .Field }}` and `{{ label "name" }}` in it. */

export interface Filling {
  /** Undefined: nobody knows it. */
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly labels: ReadonlyMap<string, string>;
}

export type Filled =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: string };

/** `missing` names what the template needs and is not known, or what of it is not read. */
export function fill(template: string, { fields, labels }: Filling): Filled {
  let text = '';
  let missing: string | undefined;
  let at = 0;
  while (missing === undefined) {
    const open = template.indexOf('{{', at);
    if (open < 0) return { ok: true, text: text + template.slice(at) };
    const close = template.indexOf('}}', open);
    const action = close < 0 ? '' : template.slice(open + 2, close).trim();
    const field = /^\.([A-Za-z]+)$/.exec(action)?.[1];
    const label = /^label\s+"([^"\\]*)"$/.exec(action)?.[1];
    let value: string | undefined;
    if (field !== undefined && Object.hasOwn(fields, field)) value = fields[field];
    else if (label !== undefined) value = labels.get(label);
    if (value === undefined || value === '')
      missing = label === undefined ? `{{ ${action} }}` : `the label ${JSON.stringify(label)}`;
    else text += template.slice(at, open) + value;
    at = close + 2;
  }
  return { ok: false, missing };
}
