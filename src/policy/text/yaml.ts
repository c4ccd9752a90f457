import { Composer, type Document, Lexer, type ParsedNode, Parser, Schema } from 'yaml';
import { limits } from '../../pdp/model/limits.ts';
import { type Findings, Stop } from './finding.ts';
import { sayYamlError } from './yaml-errors.ts';

/** A token may be longer than the string it stands for, by escapes or indentation, but not without end. */
const longestToken = limits.stringBytes * 16;

/**
 * The tree of the one document in a part of a text; null for an empty one, undefined if there is none. The parser is
 * driven token by token: that is what bounds its stack, its memory and the length of its scalars before anything is
 * composed. Offsets in the tree count from the start of the part, those of findings from that of the text. `tags` is
 * told where there are tags that the core schema has not, in the order of the text.
 */
export function yamlTree(
  part: string,
  start: number,
  findings: Findings,
  tags: number[] = [],
  mostTokens: number = limits.yamlTokens,
): ParsedNode | null | undefined {
  const parser = new Parser();
  const say = syntaxReporter(part, start, findings);
  const composer = boundedComposer(say, tags);
  const trees: (ParsedNode | null)[] = [];
  const keep = (documents: Iterable<Document.Parsed>): void => {
    for (const document of documents) {
      trees.push(document.contents);
      // Not reached while the composer reports as arranged below; errors must not pass if it ever does not.
      for (const { pos, code, message } of document.errors) say(pos[0], code, message);
    }
    if (trees.length > 1) refuse('syntax', 'not yaml: more content after the end of the document');
  };
  const refuse = (code: 'limit' | 'syntax', message: string, at = parser.offset): never => {
    findings.add({ path: [], code, message, offset: start + at });
    throw new Stop();
  };
  let started = false;
  let tokens = 0;
  for (const lexeme of new Lexer().lex(part)) {
    if (++tokens > mostTokens) refuse('limit', `document of more than ${mostTokens} yaml tokens`);
    if (lexeme.length > longestToken) refuse('limit', `string of more than ${limits.stringBytes} bytes`);
    for (const token of parser.next(lexeme)) {
      started ||= token.type === 'document';
      if (token.type === 'directive') refuseDirective(token.source, start + token.offset, findings);
      // The composer would keep these in lists of its own, without bound.
      if (token.type === 'error') say(token.offset, 'UNEXPECTED_TOKEN', token.message);
      else if (token.type !== 'doc-end' || started) keep(composer.next(token));
    }
    // Beside its collections the stack holds the document, below them, and the scalar that is being read.
    const { [limits.nesting + 1]: tooDeep, length } = parser.stack;
    if (length > limits.nesting + 2)
      refuse('limit', `nesting deeper than ${limits.nesting} levels`, tooDeep?.offset);
  }
  for (const token of parser.end()) keep(composer.next(token));
  keep(composer.end());
  return trees[0];
}

/** `%YAML 1.1` would give `no` and `012` other meanings, and `%TAG` is of use only for tags that are refused. */
function refuseDirective(source: string, offset: number, findings: Findings): void {
  if (/^%YAML[ \t]+1\.2$/.test(source)) return;
  findings.add({
    path: [],
    code: 'value',
    message: `yaml directive ${JSON.stringify(source.slice(0, 60))}`,
    hint: 'documents are read as yaml 1.2, without directives',
    offset,
  });
}

/** The core schema of YAML 1.2, shared by all documents. It knows no other tags, not even names it inherits. */
const schema = new Schema({ schema: 'core', merge: false, resolveKnownTags: false });
schema.knownTags = Object.create(null);

type Say = (offset: number, code: string, message: string) => void;

/** Of several complaints about one line the first is the cause, as a rule; the others are left out. */
function syntaxReporter(part: string, start: number, findings: Findings): Say {
  let lineStart = 0;
  let lineEnd = -1;
  return (at, code, message) => {
    const offset = Math.min(Math.max(at, 0), part.length);
    if (offset >= lineStart && offset <= lineEnd) return;
    lineStart = part.lastIndexOf('\n', offset - 1) + 1;
    const end = part.indexOf('\n', offset);
    lineEnd = end === -1 ? part.length : end;
    findings.add({ path: [], ...sayYamlError(code, message), offset: start + offset });
  };
}

type ErrorSource = number | [number, ...number[]] | { readonly offset: number };

/**
 * A composer whose complaints go straight to the findings: left to itself it makes an error object with a stack trace
 * of each, as many as the text provokes. Repeated keys are looked for in yaml-value.ts, since the composer compares
 * every key with every other.
 */
function boundedComposer(say: Say, tags: number[]): Composer {
  const composer = new Composer({ schema, uniqueKeys: false, strict: true });
  const onError = (source: ErrorSource, code: string, message: string, warning?: boolean): void => {
    const at = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
    if (!warning) say(at, code, message);
    else if (code === 'TAG_RESOLVE_FAILED') tags.push(at);
  };
  return Object.assign(composer, { onError });
}
