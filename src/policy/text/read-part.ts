import { limits } from '../../pdp/model/limits.ts';
import { unwantedCharacter } from './characters.ts';
import { Findings, Stop } from './finding.ts';
import { looksLikeJson, readJson } from './json.ts';
import { findJsonFaults } from './json-faults.ts';
import { behindMarker, type Part } from './parts.ts';
import { yamlTree } from './yaml.ts';
import { yamlValue } from './yaml-value.ts';

export interface PartReading {
  /** Undefined where nothing could be read, or there was nothing. */
  readonly read: { readonly value: unknown } | undefined;
  readonly json: boolean;
  readonly findings: Findings;
}

/** What a part of a text says, as plain data, and what is wrong with it. `room`: how many findings are wanted. */
export function readPart(text: string, part: Part, strictJson: boolean, room: number): PartReading {
  const unwanted = unwantedCharacter(text.slice(part.start, part.end));
  if (unwanted) {
    const hint = unwanted.name === 'NUL' ? { hint: 'is this a text, in utf-8?' } : {};
    const offset = part.start + unwanted.offset;
    const characters = new Findings(1);
    characters.add({ path: [], code: 'syntax', message: `${unwanted.name} in the text`, ...hint, offset });
    return { read: undefined, json: strictJson, findings: characters };
  }
  const start = strictJson ? part.start : behindMarker(text, part);
  if (strictJson || looksLikeJson(text, start, part.end)) {
    const findings = new Findings(room);
    const read = readJson(text, start, part.end, strictJson, findings);
    if (strictJson || read !== undefined) return { read, json: true, findings };
  }
  const findings = new Findings(Math.min(room, limits.violationsPerDocument));
  const read = readYaml(text, part, findings);
  if (read !== undefined || !startsAsJson.test(text.slice(start, start + 100)))
    return { read, json: false, findings };
  const asJson = new Findings(room);
  findJsonFaults(text, start, part.end, asJson);
  return { read, json: false, findings: asJson.list.length > 0 ? asJson : findings };
}

/** As JSON does and YAML seldom: what is neither was meant as JSON, and is told what JSON wants. */
const startsAsJson = /^[ \t\r\n]*(?:\{|\[[ \t\r\n]*\{?)[ \t\r\n]*"/;

function readYaml(text: string, part: Part, findings: Findings): PartReading['read'] {
  try {
    const tags: number[] = [];
    const tree = yamlTree(text.slice(part.start, part.end), part.start, findings, tags);
    if (tree === undefined || findings.list.some(({ code }) => code === 'syntax')) return undefined;
    return { value: tree === null ? null : yamlValue(tree, part.start, findings, tags) };
  } catch (error) {
    findings.cut = true;
    if (error instanceof Stop) return undefined;
    if (!(error instanceof RangeError)) throw error;
    // The stack, or a string longer than there can be: bounded by the engine where not by us.
    findings.add({ path: [], code: 'limit', message: 'too deep to be read', offset: part.start });
    return undefined;
  }
}
