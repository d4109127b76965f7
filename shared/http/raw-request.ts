import type { ReadableHeaders } from "./header-map.ts";

/** A request before it is read. A `Request` of the fetch standard is such. */
export interface RawRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: ReadableHeaders;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
}
