import type { Entry } from "../search/compact-index.ts";
import type { SearchAnswer, SearchRequest } from "./search-worker.ts";

/** The search, in a worker: typing is not interrupted while the index is loaded. */
export interface SearchClient {
  /** Loads the worker and its index, once. */
  start(): void;
  /** The best entries for a query, the best one first. Null if the index cannot be loaded. */
  find(query: string): Promise<readonly Entry[] | null>;
}

export function openSearchClient(): SearchClient {
  const waiting = new Map<number, (results: readonly Entry[] | null) => void>();
  let worker: Worker | null = null;
  let number = 0;

  const end = () => {
    for (const settle of waiting.values()) settle(null);
    waiting.clear();
    worker = null;
  };
  const start = (): Worker => {
    const started = new Worker("/docs/search-worker.js");
    started.addEventListener("message", ({ data }: MessageEvent<SearchAnswer>) => {
      waiting.get(data.number)?.(data.results);
      waiting.delete(data.number);
    });
    // The next query starts another worker.
    started.addEventListener("error", end);
    return started;
  };
  const find = (query: string) =>
    new Promise<readonly Entry[] | null>((resolve) => {
      worker ??= start();
      number += 1;
      waiting.set(number, resolve);
      worker.postMessage({ number, query } satisfies SearchRequest);
    });
  return { start: () => void find(""), find };
}
