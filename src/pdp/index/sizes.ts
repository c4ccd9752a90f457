import { columnsInTable, entriesInColumn, rulesInTable } from './table-cells.ts';

/** What the index is divided by. No verdict depends on it. */
export interface Sizes {
  /** So many rules go into tables, however well they could be told apart. */
  readonly tabled: number;
  /** How many rules less a node leaves for a value, at least: to look at fewer in tables takes no longer than the node. */
  readonly spared: number;
  /** A condition on more values has no column: each of them would stand in every table with its rule. */
  readonly values: number;
  /** How many columns a table may have. */
  readonly columns: number;
  /** So many rules, at least, have columns that are looked at first: fewer are soon told apart by what one of them asks. */
  readonly common: number;
}

export const usualSizes: Sizes = {
  tabled: 2 * rulesInTable,
  spared: rulesInTable,
  values: Math.floor(entriesInColumn / rulesInTable),
  columns: columnsInTable,
  common: 6,
};
