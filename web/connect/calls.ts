import { type Body, type Account as ConnectedAccount, type Data, HttpClient, ParleyError } from "#client";

// The API calls of the page.

/** A workspace of the signed-in person. */
export type Workspace = Data<"GET /console/tenants">["tenants"][number];

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

/** What a person chose on a page. */
export type Selection = Body<"POST /oauth/messenger/select">;

export type CallResult<T> = { readonly kind: "ok"; readonly data: T } | Refused | { readonly kind: "unreachable" };

export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

const reads = new HttpClient({ maxRetries: 1 });

export function listWorkspaces(): Promise<CallResult<readonly Workspace[]>> {
  return toResult(reads.request("GET /console/tenants"), ({ tenants }) => tenants);
}

export function listAccounts(tenant: string): Promise<CallResult<readonly Account[]>> {
  return toResult(reads.request("GET /v1/accounts", { query: { tenant } }), ({ accounts }) => accounts.map(toAccount));
}

export function disconnectAccount(tenant: string, account_key: string, csrfToken: string): Promise<CallResult<true>> {
  const call = new HttpClient({ csrfToken }).request("DELETE /v1/accounts/{account_key}", {
    path: { account_key },
    query: { tenant },
  });
  return toResult(call, ({ disconnected }) => disconnected);
}

export function listPages(tenant: string): Promise<CallResult<readonly OfferedPage[]>> {
  return toResult(reads.request("GET /oauth/messenger/pages", { query: { tenant } }), ({ pages }) => pages.map(toPage));
}

/** Connects what was chosen. @returns the accounts */
export function selectPage(
  tenant: string,
  selection: Selection,
  csrfToken: string,
): Promise<CallResult<readonly Account[]>> {
  const call = new HttpClient({ csrfToken }).request("POST /oauth/messenger/select", {
    query: { tenant },
    body: selection,
  });
  return toResult(call, ({ accounts }) => accounts.map(toAccount));
}

/** "unreachable" without a response of Parley: a proxy or a Wi-Fi sign-in page may answer instead. */
async function toResult<D, T>(call: Promise<D>, parse: (data: D) => T): Promise<CallResult<T>> {
  try {
    return { kind: "ok", data: parse(await call) };
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status === null || error.status < 400) return { kind: "unreachable" };
    const { status, code, detail } = error;
    return { kind: "refused", status, code, detail };
  }
}

function toAccount(account: ConnectedAccount): Account {
  return {
    key: account.account_key,
    platform: account.platform,
    handle: account.handle,
    displayName: account.display_name,
    pageId: account.page_id ?? "",
    status: account.status,
    statusDetail: account.status_detail ?? "",
    refreshError: account.refresh_error ?? "",
    lastRefreshedAt: account.last_refreshed_at ?? "",
    humanAgentBlockedAt: account.human_agent_blocked_at ?? "",
  };
}

type LoginPage = Data<"GET /oauth/messenger/pages">["pages"][number];

function toPage({ page_id, name, messenger, instagram }: LoginPage): OfferedPage {
  return {
    id: page_id,
    name: name || page_id,
    isMessengerConnected: messenger.connected,
    instagram: instagram && {
      accountKey: instagram.account_key,
      username: instagram.username,
      isConnected: instagram.connected,
    },
  };
}
