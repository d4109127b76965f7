import { newUlid } from "../../shared/kernel/ids.ts";
import type { Millis } from "../../shared/kernel/time.ts";

/** What the gateway knows of a request that the request itself must not be asked for. */
export interface Edge {
  /** The path with each segment percent-encoded once. Without it the path of the request's URL is taken as it is. */
  readonly path?: string;
  /** The gateway's id of the request; it becomes the correlation id. */
  readonly requestId?: string;
  /** The address the gateway saw, never a header's claim. */
  readonly sourceIp?: string;
  /** How long the answer may take. */
  readonly remaining?: Millis;
}

/** The gateway's request id where it is fit for a header, else a fresh ULID. */
export function resolveCorrelationId(edge: Edge | undefined, now: Millis): string {
  const requestId = edge?.requestId;
  return requestId !== undefined && /^[\w=+/.-]{1,100}$/.test(requestId) ? requestId : newUlid(now);
}

/**
 * The path that routes are matched against, still percent-encoded. Hono's own would decode it here and each parameter
 * again later; left encoded, a parameter is decoded exactly once.
 */
export function encodedPath(url: string, edge: Edge | undefined): string {
  if (edge?.path !== undefined) return edge.path;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
