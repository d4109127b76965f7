import { clockNow, type Millis } from "#base/kernel/time.ts";
import { type Connection, callsNoPlatform } from "#features/accounts/rules/accounts.ts";
import { appSecretProof } from "../api/app-secret-proof.ts";
import { readRefusal } from "../api/errors.ts";
import type { PlatformHttp } from "../api/http.ts";
import { asObject, type JsonObject, readTime } from "../json.ts";
import type { Upstream } from "../platform.ts";
import type { AccountPlatform, CallAccount, CallFailure, CallRefused, Inspection } from "./account-platform.ts";
import { isThreadId, messageFields, readThreadMessages, readThreads } from "./conversations.ts";
import { callGraph, type GraphCall, readAccountId, readLife, readNames, readToken } from "./graph-call.ts";
import { instagramFields, isSubscribed, pageFields } from "./subscriptions.ts";

/** The right that lets a page token read and send the account's messages. */
const messagingScopes = { instagram_page: "instagram_manage_messages", messenger: "pages_messaging" } as const;

/**
 * Reads the answer of `debug_token` on the token of a page.
 * @returns null when it says nothing about the token
 */
export function readDebugToken(
  body: JsonObject,
  { account, connection, token }: { account: CallAccount; connection: keyof typeof messagingScopes; token: string },
): Inspection | null {
  const data = asObject(body.data);
  if (!data || typeof data.is_valid !== "boolean") return null;
  const isValid = data.is_valid;
  const scope = messagingScopes[connection];
  const hasRights = isValid && hasScope(data, scope, account);
  const missingRight = isValid && !hasRights ? `The token lacks the permission ${scope}.` : null;
  return {
    kind: "inspected",
    isValid,
    detail: isValid ? missingRight : tokenDetail(asObject(data.error), token),
    hasRights,
    dataAccessExpiresAt: readExpiry(data.data_access_expires_at),
  };
}

/** A scope may be granted for some pages or accounts only. */
function hasScope(data: JsonObject, scope: string, { externalId, pageId }: CallAccount): boolean {
  if (!readNames(data.scopes)?.includes(scope)) return false;
  const grants: unknown[] = Array.isArray(data.granular_scopes) ? data.granular_scopes : [];
  const targets = grants
    .map(asObject)
    .filter((grant) => grant?.scope === scope)
    .map((grant) => grant?.target_ids)
    .find((ids) => Array.isArray(ids) && ids.length > 0);
  const targetIds = Array.isArray(targets) ? targets.map(readAccountId) : [];
  return targetIds.length === 0 || [externalId, pageId].some((id) => id !== null && targetIds.includes(id));
}

function tokenDetail(error: JsonObject | null, token: string): string {
  const refusal = readRefusal({ code: 190, ...error }, { status: 400, usage: null, retryAfter: null }, [token]);
  return error?.message && refusal ? refusal.detail : "The access token is no longer valid.";
}

/** Seconds since 1970; 0 for no end. */
function readExpiry(value: unknown): Millis | null {
  return value === 0 ? null : readTime(value);
}

/** Reads a call that needs a valid token with the right to messages: its refusal may be about either. */
export function toInspection(outcome: { readonly kind: "read" } | CallFailure): Inspection | CallFailure {
  const inspection = { kind: "inspected", dataAccessExpiresAt: null } as const;
  if (outcome.kind === "read") return { ...inspection, isValid: true, detail: null, hasRights: true };
  if (outcome.kind !== "refused") return outcome;
  const { class: refusalClass, detail } = outcome;
  if (refusalClass === "token") return { ...inspection, isValid: false, detail, hasRights: false };
  if (refusalClass === "permission") return { ...inspection, isValid: true, detail, hasRights: false };
  return outcome;
}

/** Whether the tokens of a connection are those of a page, which `debug_token` describes. */
export function isPageConnection(connection: Connection): connection is keyof typeof messagingScopes {
  return connection !== "instagram_login";
}

/** What the platforms know the app by. Null where it is not set. */
export interface AppCredentials {
  readonly metaAppId: string | null;
  readonly metaSecret: string | null;
}

interface AccountPlatformPorts {
  readonly upstream: Upstream;
  readonly http: PlatformHttp;
  readonly app: AppCredentials;
  /** The current time. Default: that of the process. */
  readonly clock?: () => Millis;
}

/** One call with the token of an account. */
type AccountCall = Omit<GraphCall, "token" | "form"> & { readonly token: string };

/** The calls that keep accounts of this connection alive. For the account of a smoke test none is made. */
export function accountPlatformFor(connection: Connection, ports: AccountPlatformPorts): AccountPlatform {
  const platform = callingPlatform(connection, ports);
  const orNone =
    <Args extends readonly unknown[], Result>(
      call: (account: CallAccount, ...args: Args) => Promise<Result>,
      none: Result,
    ): ((account: CallAccount, ...args: Args) => Promise<Result>) =>
    async (account, ...args) =>
      callsNoPlatform(account) ? none : call(account, ...args);
  const inspection = { kind: "inspected", isValid: true, detail: null, hasRights: true } as const;
  return {
    refresh: platform.refresh,
    subscribe: orNone(platform.subscribe, { kind: "done" }),
    unsubscribe: orNone(platform.unsubscribe, { kind: "done" }),
    readSubscription: orNone(platform.readSubscription, { kind: "read", isComplete: true }),
    inspect: orNone(platform.inspect, { ...inspection, dataAccessExpiresAt: null }),
    listThreads: orNone(platform.listThreads, { kind: "listed", threads: [], next: null }),
    readThread: orNone(platform.readThread, { kind: "read", messages: [], isCut: false }),
  };
}

function callingPlatform(
  connection: Connection,
  { upstream, http, app, clock = clockNow }: AccountPlatformPorts,
): AccountPlatform {
  const isPage = isPageConnection(connection);
  const host = isPage ? upstream.facebookGraph : upstream.instagramGraph;
  const api = `${host}/${upstream.graphVersion}`;
  const fields = isPage ? pageFields : instagramFields;
  // A page's token names the page itself `me`.
  const nodeUrl = ({ externalId, pageId }: CallAccount) =>
    `${api}/${encodeURIComponent(isPage ? (pageId ?? "me") : externalId)}`;
  const subscriptionUrl = (account: CallAccount) => `${nodeUrl(account)}/subscribed_apps`;
  const readDone = (body: JsonObject) => (body.success === true ? ({ kind: "done" } as const) : null);
  const toSigned = ({ token, query = {}, ...call }: AccountCall) => ({
    ...call,
    token,
    query: { ...query, ...(isPage ? appSecretProof(app.metaSecret, token) : {}) },
  });

  return {
    subscribe: (account, token) => {
      const query = { subscribed_fields: fields.join(",") };
      return callGraph(http, toSigned({ method: "POST", url: subscriptionUrl(account), token, query }), readDone);
    },

    unsubscribe: (account, token, endsBy) => {
      const deadline = http.deadline("call", endsBy);
      return callGraph(http, toSigned({ method: "DELETE", url: subscriptionUrl(account), token, deadline }), readDone);
    },

    readSubscription: (account, token) =>
      callGraph(http, toSigned({ method: "GET", url: subscriptionUrl(account), token }), ({ data }) => {
        // An app has an id of its own for Instagram Login.
        const isComplete = isSubscribed(data, fields, isPage ? app.metaAppId : null);
        return isComplete === null ? null : { kind: "read", isComplete };
      }),

    refresh: async (token) => {
      if (isPage) return refuse("The token of a page has no end.");
      const now = clock();
      const query = { grant_type: "ig_refresh_token", access_token: token };
      const call = { method: "GET", url: `${host}/refresh_access_token`, token: null, query } as const;
      return callGraph(http, call, (body) => {
        const newToken = readToken(body.access_token);
        const life = readLife(body.expires_in);
        return newToken === null || life === null
          ? null
          : { kind: "refreshed", token: newToken, expiresAt: now + life };
      });
    },

    inspect: async (account, token) => {
      if (!isPage) {
        const query = { platform: account.platform, fields: "id", limit: "1" };
        const call = toSigned({ method: "GET", url: `${nodeUrl(account)}/conversations`, token, query });
        return toInspection(
          await callGraph(http, call, ({ data }) => (Array.isArray(data) ? ({ kind: "read" } as const) : null)),
        );
      }
      const { metaAppId, metaSecret } = app;
      if (!metaAppId || !metaSecret) return refuse("The id or the secret of the Meta app is not set.");
      const appToken = `${metaAppId}|${metaSecret}`;
      const query = { input_token: token, access_token: appToken, ...appSecretProof(metaSecret, appToken) };
      return callGraph(http, { method: "GET", url: `${api}/debug_token`, token: null, query }, (body) =>
        readDebugToken(body, { account, connection, token }),
      );
    },

    listThreads: (account, token, { after, limit }) => {
      const page = { limit: String(limit), ...(after === null ? {} : { after }) };
      const query = { platform: account.platform, fields: "id,updated_time,participants", ...page };
      const url = `${nodeUrl(account)}/conversations`;
      return callGraph(http, toSigned({ method: "GET", url, token, query }), (body) => readThreads(account, body));
    },

    readThread: async (account, token, threadId) => {
      if (!isThreadId(threadId)) return refuse("The id of the conversation is malformed.");
      const url = `${api}/${encodeURIComponent(threadId)}`;
      const query = { fields: `messages{${messageFields[account.platform]}}` };
      return callGraph(http, toSigned({ method: "GET", url, token, query }), (body) =>
        readThreadMessages(account, body),
      );
    },
  };
}

/** A call that is not made. */
function refuse(detail: string): CallRefused {
  return { kind: "refused", class: "other", detail, code: null, subcode: null, accountStatus: null, transient: false };
}
