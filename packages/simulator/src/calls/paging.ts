import type { Call } from "../http/http-server.ts";
import { type Context, parameter } from "./context.ts";

const defaultLimit = 25;
const limitMax = 100;

/** One page of a list, and what Graph says about the others. */
export interface Paged<Item> {
  items: Item[];
  paging: { cursors?: { before: string; after: string }; next?: string; previous?: string };
}

/** The page of `items` that a call asks for with `limit` and `after`. A cursor that the list does not have starts it. */
export function paginate<Item>(context: Context, call: Call, items: readonly Item[]): Paged<Item> {
  const requestedLimit = Number(parameter(call, "limit") ?? defaultLimit);
  const limit =
    Number.isInteger(requestedLimit) && requestedLimit > 0 ? Math.min(requestedLimit, limitMax) : defaultLimit;
  const start = fromCursor(parameter(call, "after"));
  const page = items.slice(start, start + limit);
  if (page.length === 0) return { items: page, paging: {} };
  const cursors = { before: toCursor(start), after: toCursor(start + page.length) };
  if (start + page.length >= items.length) return { items: page, paging: { cursors } };
  const next = new URL(`${context.url()}${call.path}`);
  for (const [name, value] of call.query) next.searchParams.set(name, value);
  next.searchParams.set("limit", String(limit));
  next.searchParams.set("after", cursors.after);
  return { items: page, paging: { cursors, next: next.href } };
}

const toCursor = (at: number): string => Buffer.from(`QVFIU${at}`).toString("base64url");

function fromCursor(cursor: string | undefined): number {
  const at = /^QVFIU(\d{1,9})$/.exec(Buffer.from(cursor ?? "", "base64url").toString("utf8"))?.[1];
  return at === undefined ? 0 : Number(at);
}
