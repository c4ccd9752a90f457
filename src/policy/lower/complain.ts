import type { Violation } from '../../pdp/model/violation.ts';

/** What is wrong with a document, by its number. */
export type Complain = (document: number, found: Violation) => void;
