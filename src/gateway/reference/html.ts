/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

export type Content = string | number | Html | readonly Content[] | undefined;

/** What is put in is escaped, unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { html: parts.reduce((all, part, i) => all + rendered(contents[i - 1]) + part) };
}

function rendered(content: Content): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return escaped(content);
  if (typeof content === 'number') return String(content);
  if ('html' in content) return content.html;
  return content.map(rendered).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => entities[one] as string);
}

/** Text with `code` in it. */
export function prose(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
