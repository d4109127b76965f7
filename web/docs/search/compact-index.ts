import type { AsPlainObject } from "minisearch";

/** What is shown of an entry. Its place in the list is its id in the index. */
export type Entry = readonly [title: string, place: string, href: string];

/**
 * The file of the search. It has an index of MiniSearch in a quarter of the bytes: the words in their order, and for each
 * word and field the entries that have it, as distances.
 */
export interface CompactIndex {
  readonly entries: readonly Entry[];
  readonly fields: readonly string[];
  /** How many words each field of each entry has. */
  readonly lengths: readonly (readonly number[])[];
  /** The words, with a space between them. */
  readonly words: string;
  /** By word and field: distance from the entry before, times `COUNTS`, plus how often the entry has the word, less one. */
  readonly places: readonly (readonly (readonly number[])[])[];
}

/** How often a word stands in an entry is stored up to this number. More changes no order. */
const COUNTS = 2;

/** @param index its entries were added in their order, with the ids 0, 1, 2, … */
export function compactIndex(entries: readonly Entry[], index: AsPlainObject): CompactIndex {
  const fields = Object.keys(index.fieldIds);
  const terms = [...index.index].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    entries,
    fields,
    lengths: entries.map((_, id) => fields.map((_, field) => index.fieldLength[id]?.[field] ?? 0)),
    words: terms.map(([term]) => term).join(" "),
    places: terms.map(([, byField]) => fields.map((_, field) => toDistances(byField[field] ?? {}))),
  };
}

/** The index as MiniSearch loads it. */
export function plainIndex({ entries, fields, lengths, words, places }: CompactIndex): AsPlainObject {
  const sums = fields.map((_, field) => lengths.reduce((sum, each) => sum + (each[field] ?? 0), 0));
  return {
    serializationVersion: 2,
    documentCount: entries.length,
    nextId: entries.length,
    documentIds: Object.fromEntries(entries.map((_, id) => [id, id])),
    fieldIds: Object.fromEntries(fields.map((field, id) => [field, id])),
    fieldLength: Object.fromEntries(lengths.map((each, id) => [id, [...each]])),
    averageFieldLength: sums.map((sum) => sum / entries.length),
    storedFields: {},
    dirtCount: 0,
    index: words
      .split(" ")
      .map((word, at) => [
        word,
        Object.fromEntries((places[at] ?? []).flatMap((each, field) => (each.length ? [[field, toCounts(each)]] : []))),
      ]),
  };
}

function toDistances(counts: Readonly<Record<string, number>>): number[] {
  let before = -1;
  return Object.entries(counts)
    .map(([id, count]) => [Number(id), count] as const)
    .sort(([a], [b]) => a - b)
    .map(([id, count]) => {
      const distance = id - before - 1;
      before = id;
      return distance * COUNTS + Math.min(count, COUNTS) - 1;
    });
}

function toCounts(distances: readonly number[]): Record<string, number> {
  let id = -1;
  return Object.fromEntries(
    distances.map((value) => {
      id += Math.floor(value / COUNTS) + 1;
      return [id, (value % COUNTS) + 1];
    }),
  );
}
