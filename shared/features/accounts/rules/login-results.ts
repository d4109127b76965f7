import type { TenantId } from "#base/kernel/tenant.ts";
import { CONSOLE_PATH, isConsoleElsewhere, type Origins } from "#features/access/rules/redirect-paths.ts";

/** What a login of a platform comes to, as the console learns it: one of the parameters of its URL. */
export type LoginResult =
  /** The key of the account. */
  | { readonly connected: string }
  /** The person chooses among their pages. */
  | { readonly choose: "messenger" }
  /** The code of an error. */
  | { readonly error: string };

const RESULTS = ["connected", "choose", "error"] as const;

/**
 * The console's page of accounts on the API's host. Without a tenant it is the first page of the console, which continues
 * with the tenant that the person used last.
 */
export function accountsPath(tenant: TenantId | null): string {
  return tenant === null ? CONSOLE_PATH : `${CONSOLE_PATH}/${tenant}/accounts`;
}

/** What a login was started with. */
export interface LoginStart {
  /** A path on the console's origin, as `parseRedirectPath` returns it. */
  readonly redirect: string;
  /** Null when it is not known. */
  readonly tenant: TenantId | null;
}

/** The URL at which a login ends: without a page the accounts, or the first page of a console on another host. */
export function loginResultUrl(
  { redirect, tenant, result }: LoginStart & { readonly result: LoginResult },
  origins: Origins,
): string {
  const path = redirect === "/" && !isConsoleElsewhere(origins) ? accountsPath(tenant) : redirect;
  const url = new URL(`${origins.consoleOrigin}${path}`);
  // Those of an earlier login.
  for (const name of RESULTS) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  return url.href;
}

/** The query of a page of accounts without what is not the end of a login: it starts with `?`, or is empty. */
export function loginResultQuery(query: URLSearchParams): string {
  const result = new URLSearchParams();
  for (const name of RESULTS) {
    const value = query.get(name);
    if (value !== null) result.set(name, value);
  }
  return result.size === 0 ? "" : `?${result}`;
}
