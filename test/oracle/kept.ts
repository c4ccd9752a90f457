import { readdirSync, readFileSync } from 'node:fs';
import type { Question } from './compare.ts';

/** A question that showed a difference once, with the verdict that settled it. */
export interface Kept extends Question {
  name: string;
  note: string;
  want: string;
}

const folder = new URL('../pdp/regressions/', import.meta.url);

export function keptQuestions(): Kept[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => ({
    name,
    ...(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Omit<Kept, 'name'>),
  }));
}
