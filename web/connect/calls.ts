import { type Fields, fields, text } from "../common/fields.ts";

// The API calls of the page. Responses are validated, because a proxy or a Wi-Fi sign-in page may answer instead.

/** A workspace of the signed-in person. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** A connected account. Texts are empty when they are not known. */
export interface Account {
  readonly key: string;
  readonly platform: string;
  readonly handle: string;
  readonly displayName: string;
  /** The page through which an Instagram account is connected; empty with an Instagram login. */
  readonly pageId: string;
  readonly status: string;
  readonly statusDetail: string;
  readonly refreshError: string;
  /** ISO 8601 times. */
  readonly lastRefreshedAt: string;
  readonly humanAgentBlockedAt: string;
}

/** A Facebook page that a login offers. */
export interface OfferedPage {
  readonly id: string;
  readonly name: string;
  readonly isMessengerConnected: boolean;
  readonly instagram: OfferedInstagram | null;
}

export interface OfferedInstagram {
  readonly accountKey: string;
  readonly username: string;
  readonly isConnected: boolean;
}

export type CallResult<T> = { readonly kind: "ok"; readonly data: T } | Refused | { readonly kind: "unreachable" };

export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  /** Empty when the response does not come from the service. */
  readonly code: string;
  readonly detail: string;
}

/** Milliseconds. The server itself answers within 30 seconds. */
const CALL_TIMEOUT = 31_000;

export function listWorkspaces(): Promise<CallResult<readonly Workspace[]>> {
  return call("GET", "/console/tenants", {}, ({ tenants }) => listOf(tenants, toWorkspace));
}

export function listAccounts(workspace: string): Promise<CallResult<readonly Account[]>> {
  return call("GET", `/v1/accounts?tenant=${workspace}`, {}, ({ accounts }) => listOf(accounts, toAccount));
}

export function disconnectAccount(workspace: string, accountKey: string, csrfToken: string): Promise<CallResult<true>> {
  const path = `/v1/accounts/${encodeURIComponent(accountKey)}?tenant=${workspace}`;
  return call("DELETE", path, { csrfToken }, ({ disconnected }) => (disconnected === true ? true : null));
}

export function listPages(workspace: string): Promise<CallResult<readonly OfferedPage[]>> {
  return call("GET", `/oauth/messenger/pages?tenant=${workspace}`, {}, ({ pages }) => listOf(pages, toPage));
}

/** What a person chose on a page. */
export interface Selection {
  readonly page_id: string;
  readonly connect: readonly ("messenger" | "instagram")[];
}

/** Connects what was chosen. @returns the accounts */
export function selectPage(
  workspace: string,
  selection: Selection,
  csrfToken: string,
): Promise<CallResult<readonly Account[]>> {
  const path = `/oauth/messenger/select?tenant=${workspace}`;
  return call("POST", path, { csrfToken, body: selection }, ({ accounts }) => listOf(accounts, toAccount));
}

async function call<T>(
  method: string,
  path: string,
  { csrfToken, body }: { readonly csrfToken?: string; readonly body?: object },
  parse: (data: Fields) => T | null,
): Promise<CallResult<T>> {
  const headers = {
    accept: "application/json",
    ...(csrfToken === undefined ? {} : { "x-csrf-token": csrfToken }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  try {
    const response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(CALL_TIMEOUT),
    });
    const envelope = fields(await response.json().catch(() => null));
    if (!response.ok) {
      const { code, detail } = fields(envelope.error);
      return { kind: "refused", status: response.status, code: text(code), detail: text(detail) };
    }
    const data = parse(fields(envelope.data));
    return data === null ? { kind: "unreachable" } : { kind: "ok", data };
  } catch {
    return { kind: "unreachable" };
  }
}

function listOf<T>(value: unknown, toEntry: (entry: Fields) => T): readonly T[] | null {
  return Array.isArray(value) ? value.map((entry) => toEntry(fields(entry))) : null;
}

function toWorkspace({ id, name, role }: Fields): Workspace {
  return { id: text(id), name: text(name) || text(id), role: text(role) };
}

function toAccount(account: Fields): Account {
  return {
    key: text(account.account_key),
    platform: text(account.platform),
    handle: text(account.handle),
    displayName: text(account.display_name),
    pageId: text(account.page_id),
    status: text(account.status),
    statusDetail: text(account.status_detail),
    refreshError: text(account.refresh_error),
    lastRefreshedAt: text(account.last_refreshed_at),
    humanAgentBlockedAt: text(account.human_agent_blocked_at),
  };
}

function toPage(page: Fields): OfferedPage {
  const instagram = fields(page.instagram);
  return {
    id: text(page.page_id),
    name: text(page.name) || text(page.page_id),
    isMessengerConnected: fields(page.messenger).connected === true,
    instagram: page.instagram
      ? {
          accountKey: text(instagram.account_key),
          username: text(instagram.username),
          isConnected: instagram.connected === true,
        }
      : null,
  };
}
