import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all that it started hold (Linux). */

export interface Held {
  /** Bytes. */
  readonly resident: number;
  readonly descriptors: number;
}

export function heldBy(pid: number): Held {
  const all = family(pid);
  return {
    resident: all.reduce((sum, one) => sum + residentOf(one), 0),
    descriptors: all.reduce((sum, one) => sum + readdirSync(`/proc/${one}/fd`).length, 0),
  };
}

function family(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(text === '' ? [] : text.split(' ').flatMap((child) => family(Number(child))))];
}

function residentOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1_024;
}
