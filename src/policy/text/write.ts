import { stringify } from 'yaml';

/** A document as YAML that reads as the same value. Nothing is shared by aliases, and no line is folded. */
export function yamlText(value: unknown): string {
  return stringify(value, { version: '1.2', schema: 'core', aliasDuplicateObjects: false, lineWidth: 0 });
}
