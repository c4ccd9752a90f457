/** Of all series of a name. */
export function totalIn(page: string, name: string): number {
  const values = page.split('\n').filter((line) => line.startsWith(name));
  return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** Lines that the log was given, and those that it could not write. */
export async function logged(url: string): Promise<{ readonly lines: number; readonly dropped: number }> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return {
    lines: totalIn(page, 'placet_log_lines_total'),
    dropped: totalIn(page, 'placet_log_dropped_total'),
  };
}

/** Resolves once so many workers answer. */
export async function workers(url: string, count: number): Promise<void> {
  const seen = new Set<unknown>();
  while (seen.size < count) {
    const reply = await fetch(`${url}/snapshot`, { headers: { connection: 'close' } });
    seen.add(((await reply.json()) as { readonly worker?: number }).worker);
  }
}
