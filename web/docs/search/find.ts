import MiniSearch from "minisearch";
import { type CompactIndex, type Entry, plainIndex } from "./compact-index.ts";
import { indexOptions, looseSearch, normalize, type SearchEntry, strictSearch, words } from "./options.ts";

const RESULTS_MAX = 12;

/** Opens the index of the documentation. The returned function finds the best entries for a query, the best one first. */
export function openSearch(file: CompactIndex): (query: string) => Entry[] {
  const index = MiniSearch.loadJS<SearchEntry>(plainIndex(file), indexOptions);
  return (query) => {
    const queryWords = plainWords(query);
    if (queryWords.length === 0) return [];
    const boostDocument = (id: number) => importance(file.entries[id], queryWords);
    const strict = index.search(query, { ...strictSearch, boostDocument });
    const results = strict.length > 0 ? strict : index.search(query, { ...looseSearch, boostDocument });
    return results.slice(0, RESULTS_MAX).map(({ id }) => file.entries[id] as Entry);
  };
}

/** A title that is the query comes first, then one that has all of it, and a page before a section. */
function importance(entry: Entry | undefined, queryWords: readonly string[]): number {
  if (entry === undefined) return 0;
  const [title, , href] = entry;
  const name = plainWords(title);
  const isName = name.join(" ") === queryWords.join(" ");
  const match = isName ? 4 : queryWords.every((word) => name.includes(word)) ? 1.5 : 1;
  return href.includes("#") ? match : match * 1.6;
}

/** The words of a text as they are indexed, without the common ones. */
function plainWords(text: string): string[] {
  return words(text).flatMap((word) => normalize(word) ?? []);
}
