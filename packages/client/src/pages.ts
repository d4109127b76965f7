import { ParleyError } from "./errors.ts";

interface WithCursor {
  readonly next_cursor: string | null;
}

/**
 * A list of the API. `await` gives the first page; `for await` gives every entry, and requests a page when it is needed.
 * A page may be empty although others follow: only the last page has the `next_cursor` null.
 */
export type PagedList<Page extends WithCursor, Entry> = Promise<Page> &
  AsyncIterable<Entry> & {
    /** Every page. */
    pages(): AsyncIterable<Page>;
  };

/**
 * @param load requests the page at a cursor; undefined is the first page
 * @param entries the entries of a page
 */
export function pagedList<Page extends WithCursor, Entry>(
  load: (cursor: string | undefined) => Promise<Page>,
  entries: (page: Page) => readonly Entry[],
): PagedList<Page, Entry> {
  const firstPage = load(undefined);
  async function* pages(): AsyncGenerator<Page> {
    let page = await firstPage;
    yield page;
    while (page.next_cursor !== null) {
      const cursor = page.next_cursor;
      page = await load(cursor);
      if (page.next_cursor === cursor) {
        throw new ParleyError({ code: "unexpected_response", message: "A page has its own cursor as the next one." });
      }
      yield page;
    }
  }
  async function* all(): AsyncGenerator<Entry> {
    for await (const page of pages()) yield* entries(page);
  }
  return Object.assign(firstPage, { pages, [Symbol.asyncIterator]: all });
}
