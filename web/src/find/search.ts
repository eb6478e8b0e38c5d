// Searching the catalogue: the items that a query and all filters want, in the order of the program.

import type { Catalogue, Row } from './catalogue';
import { type Filter, keyOfFilter } from './filter';
import { tester } from './filtered';
import type { Query } from './query';

/** Rows between two moments at which the work may rest. */
const AT_ONCE = 128;

/** Finds what fits after event `seq`. */
export function* search(
  catalogue: Catalogue,
  query: Query,
  filters: readonly Filter[],
  seq: number,
): Generator<void, Row[]> {
  yield* catalogue.grow();
  const { rows, history } = catalogue;
  const wanted = filters.map((filter) => tester(filter, history, seq));
  const found: Row[] = [];
  for (let i = 0; i < rows.length; i += 1) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    const row = rows[i]!;
    if (query.fits(row) && wanted.every((test) => test(row.item))) found.push(row);
  }
  return found;
}

/** Counts what belongs to each of some filters alone after event `seq`. */
export function* count(
  catalogue: Catalogue,
  filters: readonly Filter[],
  seq: number,
): Generator<void, Map<string, number>> {
  yield* catalogue.grow();
  const { rows, history } = catalogue;
  const tests = filters.map((filter) => tester(filter, history, seq));
  const counts = filters.map(() => 0);
  for (let i = 0; i < rows.length; i += 1) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    tests.forEach((test, n) => {
      if (test(rows[i]!.item)) counts[n]! += 1;
    });
  }
  return new Map(filters.map((filter, n) => [keyOfFilter(filter), counts[n]!]));
}
