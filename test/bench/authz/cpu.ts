import { readFileSync } from 'node:fs';

/** Microseconds of a core that a process has had, its other threads included (proc(5)). */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
