import type { Target } from "../target/target.ts";
import type { ListenLines } from "./lines.ts";
import type { Receiver } from "./post.ts";

/** One run of listen. */
export interface ListenSession {
  readonly target: Target;
  readonly receiver: Receiver | null;
  readonly lines: ListenLines;
  readonly secret: string;
  readonly events: readonly string[] | undefined;
}

/** Without the query, which may have a credential. */
export function shownUrl({ url }: Receiver): string {
  return `${url.origin}${url.pathname}`;
}
