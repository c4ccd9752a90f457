import { a } from './a.ts';
import { h } from './h.ts';
import { m } from './m.ts';
import { s } from './s.ts';
import { t } from './t.ts';
import type { Generator, WorkloadName } from './types.ts';
import { u } from './u.ts';

export const generators: Readonly<Record<WorkloadName, Generator>> = { S: s, A: a, H: h, M: m, U: u, T: t };
