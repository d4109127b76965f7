/** A page of a list of the API. With a filter it may be empty although others follow. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
}

/** So many pages without a row are read before the person is asked whether to go on. */
const EMPTY_PAGES_MAX = 5;

/**
 * Reads on until a page has rows, or the list ends, or many pages had none.
 * @param load reads the page at a cursor; undefined is the first one
 */
export async function loadRows<Row>(
  load: (cursor: string | undefined) => Promise<ListPage<Row>>,
  cursor?: string,
): Promise<ListPage<Row>> {
  let page = await load(cursor);
  for (let read = 1; page.rows.length === 0 && page.next !== null && read < EMPTY_PAGES_MAX; read++) {
    page = await load(page.next);
  }
  return page;
}
