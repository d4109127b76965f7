import type { Json } from "#http/openapi/schemas.ts";

/** Two versions of one thing. */
export interface Versions<T = Json> {
  readonly released: T;
  readonly current: T;
}

/** The two documents, into which references point. */
export interface Comparison extends Versions {
  /** A request must be accepted as before. A response must keep its promises. */
  readonly direction: "request" | "response";
}
