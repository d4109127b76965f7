import type { CompactIndex, Entry } from "../search/compact-index.ts";
import { openSearch } from "../search/find.ts";

/** A query, with a number that its answer repeats. */
export interface SearchRequest {
  readonly number: number;
  readonly query: string;
}

export interface SearchAnswer {
  readonly number: number;
  /** Null if the index cannot be loaded. */
  readonly results: readonly Entry[] | null;
}

// The worker of the search: it loads the index once, and answers each query. A failed load is tried again.
let search: Promise<(query: string) => Entry[]> | null = null;

function load(): Promise<(query: string) => Entry[]> {
  search ??= fetch("/docs/search.json").then(async (response) => {
    if (!response.ok) throw new Error(String(response.status));
    return openSearch((await response.json()) as CompactIndex);
  });
  return search;
}

addEventListener("message", ({ data: { number, query } }: MessageEvent<SearchRequest>) => {
  load().then(
    (find) => postMessage({ number, results: find(query) } satisfies SearchAnswer),
    () => {
      search = null;
      postMessage({ number, results: null } satisfies SearchAnswer);
    },
  );
});
