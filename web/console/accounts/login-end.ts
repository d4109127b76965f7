import type { Account } from "./account-health.ts";

// What the address of the page says about a login: the way that it was started for, and how it ended.

export type Connection = Account["connection"];

/** The ways of connecting, in the order in which they are offered. */
export const ways = ["instagram_login", "instagram_page", "messenger"] as const satisfies readonly Connection[];

/** The way of connecting that a text names; null for any other text. */
export function parseWay(text: string | null): Connection | null {
  return ways.find((way) => way === text) ?? null;
}

/** How a login ended. */
export type LoginEnd =
  | { readonly kind: "error"; readonly code: string }
  /** The keys of the accounts. */
  | { readonly kind: "connected"; readonly keys: readonly string[] };

/** The end of a login that a query names; null for none. */
export function parseLoginEnd(query: URLSearchParams): LoginEnd | null {
  const [code, key] = [query.get("error"), query.get("connected")];
  if (code !== null) return { kind: "error", code };
  return key === null ? null : { kind: "connected", keys: [key] };
}
