import type { Millis } from "#base/kernel/time.ts";
import { callsNoPlatform } from "#features/accounts/rules/accounts.ts";
import type { AccountPlatform, CallAccount, CallRefused } from "./account-platform.ts";
import { isThreadId, readThreadMessages, readThreads } from "./conversations.ts";
import type { Dialect } from "./dialect.ts";
import { callGraph, type GraphCall, type PictureField, readAccountId, readFieldNames } from "./graph-call.ts";
import type { PlatformHttp } from "./http.ts";
import { asObject, type JsonObject } from "./json.ts";
import type { Upstream } from "./platform.ts";

/** What the platforms know the app by. Null where it is not set. */
export interface AppCredentials {
  readonly metaAppId: string | null;
  readonly metaSecret: string | null;
}

export interface AccountCallPorts {
  readonly upstream: Upstream;
  readonly http: PlatformHttp;
  readonly app: AppCredentials;
  /** Those of all platforms. */
  readonly dialects: readonly Dialect[];
  /** The current time. Default: that of the process. */
  readonly clock?: () => Millis;
}

interface AccountTraits {
  /** The base URL and version. */
  readonly api: string;
  /** The URL of the account, without a trailing slash. */
  readonly nodeUrl: (account: CallAccount) => string;
  /** The fields of the webhooks that the account's subscription names. */
  readonly subscribedFields: readonly string[];
  /** The app's id in the list of subscribed apps; null where it is not known, and the first complete app counts. */
  readonly listedAppId: string | null;
  /** The parameters by which a call proves that it comes from the app. */
  readonly toProof: (token: string) => Readonly<Record<string, string>>;
  readonly messageFields: string;
  readonly picture: PictureField;
}

/** One call with the token of an account. */
type AccountCall = Omit<GraphCall, "token" | "form"> & { readonly token: string };

/** The calls that all connections share, apart from `traits`. */
export function accountCalls(
  { api, nodeUrl, subscribedFields, listedAppId, toProof, messageFields, picture }: AccountTraits,
  { http, dialects }: Pick<AccountCallPorts, "http" | "dialects">,
): Omit<AccountPlatform, "refresh" | "inspect"> {
  const subscriptionUrl = (account: CallAccount) => `${nodeUrl(account)}/subscribed_apps`;
  const readDone = (body: JsonObject) => (body.success === true ? ({ kind: "done" } as const) : null);
  const toSigned = ({ token, query = {}, ...call }: AccountCall) => ({
    ...call,
    token,
    query: { ...query, ...toProof(token) },
  });

  return {
    subscribe: (account, token) => {
      const query = { subscribed_fields: subscribedFields.join(",") };
      return callGraph(http, toSigned({ method: "POST", url: subscriptionUrl(account), token, query }), readDone);
    },

    unsubscribe: (account, token, endsBy) => {
      const deadline = http.deadline("call", endsBy);
      return callGraph(http, toSigned({ method: "DELETE", url: subscriptionUrl(account), token, deadline }), readDone);
    },

    readSubscription: (account, token) =>
      callGraph(http, toSigned({ method: "GET", url: subscriptionUrl(account), token }), ({ data }) => {
        const isComplete = isSubscribed(data, subscribedFields, listedAppId);
        return isComplete === null ? null : { kind: "read", isComplete };
      }),

    readPicture: (account, token) => {
      const query = { fields: picture.name };
      const url = `${api}/${encodeURIComponent(account.externalId)}`;
      return callGraph(http, toSigned({ method: "GET", url, token, query }), (body) =>
        readAccountId(body.id) === null ? null : { kind: "read", url: picture.read(body) },
      );
    },

    listThreads: (account, token, { after, limit }) => {
      const page = { limit: String(limit), ...(after === null ? {} : { after }) };
      const query = { platform: account.platform, fields: "id,updated_time,participants", ...page };
      const url = `${nodeUrl(account)}/conversations`;
      return callGraph(http, toSigned({ method: "GET", url, token, query }), (body) => readThreads(account, body));
    },

    readThread: async (account, token, threadId) => {
      if (!isThreadId(threadId)) return refuseCall("The id of the conversation is malformed.");
      const url = `${api}/${encodeURIComponent(threadId)}`;
      const query = { fields: `messages{${messageFields}}` };
      return callGraph(http, toSigned({ method: "GET", url, token, query }), (body) =>
        readThreadMessages(account, body, dialects),
      );
    },
  };
}

/**
 * Whether the app has every field, by the answer of `GET subscribed_apps`.
 * @param data the list of apps, which may contain other apps than ours
 * @param appId as `listedAppId` of the traits
 * @returns null when it is no list
 */
function isSubscribed(data: unknown, fields: readonly string[], appId: string | null): boolean | null {
  if (!Array.isArray(data)) return null;
  return data.map(asObject).some((app) => {
    if (appId !== null && app?.id !== undefined && readAccountId(app.id) !== appId) return false;
    const subscribedFields = readFieldNames(app?.subscribed_fields);
    return fields.every((field) => subscribedFields.has(field));
  });
}

/** A call that is not made. */
export function refuseCall(detail: string): CallRefused {
  return { kind: "refused", class: "other", detail, code: null, subcode: null, accountStatus: null, transient: false };
}

/** The same calls, of which none is made for the account of a smoke test. */
export function withoutSmokeAccounts(platform: AccountPlatform): AccountPlatform {
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
    readPicture: orNone(platform.readPicture, { kind: "read", url: null }),
    inspect: orNone(platform.inspect, { ...inspection, dataAccessExpiresAt: null }),
    listThreads: orNone(platform.listThreads, { kind: "listed", threads: [], next: null }),
    readThread: orNone(platform.readThread, { kind: "read", messages: [], isCut: false }),
  };
}
