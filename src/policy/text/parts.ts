/** A stretch of a text that holds one document, or nothing but comments. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

const marker = /(?:^|\n)(?:---|\.\.\.)(?=[ \t\r\n]|$)/g;
const onlyDirectives = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*%[^\n]*\n(?:%[^\n]*\n|[ \t]*(?:#[^\n]*)?\r?\n)*$/;

/**
 * Cuts a YAML text at the lines that start (`---`) and end (`...`) documents. YAML forbids them within any scalar, so
 * the cut is always right, an unclosed quote in one document cannot swallow the next, and finding a place takes no
 * more than parsing one part again.
 */
export function* yamlParts(text: string): Generator<Part, void> {
  let start = 0;
  for (const { index } of text.matchAll(marker)) {
    let end = text[index] === '\n' ? index + 1 : index;
    // Directives belong to the document that follows them.
    if (text[end] === '-' && onlyDirectives.test(text.slice(start, end))) continue;
    if (text[end] === '.') {
      const lineEnd = text.indexOf('\n', end);
      end = lineEnd === -1 ? text.length : lineEnd + 1;
    }
    if (end > start) yield { start, end };
    start = end;
  }
  if (start < text.length) yield { start, end: text.length };
}

/** Where the content of a part begins, behind its marker. */
export function behindMarker(text: string, part: Part): number {
  return /^---(?=[ \t\r\n]|$)/.test(text.slice(part.start, part.start + 4)) ? part.start + 3 : part.start;
}
