import type { Millis } from "#base/kernel/time.ts";
import { type AccountCallPorts, accountCalls, refuseCall } from "./account-calls.ts";
import type { AccountPlatform, CallAccount, Inspection } from "./account-platform.ts";
import { appSecretProof } from "./app-secret-proof.ts";
import type { Dialect } from "./dialect.ts";
import { readRefusal } from "./errors.ts";
import { callGraph, type PictureField, readAccountId, readNames } from "./graph-call.ts";
import { asObject, type JsonObject, readTime } from "./json.ts";

/**
 * The webhook fields of a page. They serve its inbox, and any of them lets the events of its Instagram account through.
 */
export const pageFields: readonly string[] = [
  "messages",
  "message_echoes",
  "message_reads",
  "message_deliveries",
  "message_reactions",
  "message_edits",
  "messaging_postbacks",
  "messaging_referrals",
  "standby",
  "messaging_policy_enforcement",
];

interface PageTraits {
  /** The right that lets a page's token read and send the account's messages. */
  readonly scope: string;
  readonly history: Dialect["history"];
  readonly picture: PictureField;
}

/**
 * The calls of an account's health checks, where its token is that of a page: its inbox, or its linked Instagram
 * account.
 */
export function pageAccounts({ scope, history, picture }: PageTraits, ports: AccountCallPorts): AccountPlatform {
  const { upstream, http, app } = ports;
  const api = `${upstream.facebookGraph}/${upstream.graphVersion}`;
  return {
    ...accountCalls(
      {
        api,
        // A page's token names the page itself `me`.
        nodeUrl: ({ pageId }) => `${api}/${encodeURIComponent(pageId ?? "me")}`,
        subscribedFields: pageFields,
        listedAppId: app.metaAppId,
        toProof: (token) => appSecretProof(app.metaSecret, token),
        messageFields: history.messageFields,
        picture,
      },
      ports,
    ),

    refresh: async () => refuseCall("The token of a page has no end."),

    inspect: async (account, token) => {
      const { metaAppId, metaSecret } = app;
      if (!metaAppId || !metaSecret) return refuseCall("The id or the secret of the Meta app is not set.");
      const appToken = `${metaAppId}|${metaSecret}`;
      const query = { input_token: token, access_token: appToken, ...appSecretProof(metaSecret, appToken) };
      return callGraph(http, { method: "GET", url: `${api}/debug_token`, token: null, query }, (body) =>
        readDebugToken(body, { account, scope, token }),
      );
    },
  };
}

/**
 * Reads the answer of `debug_token` on the token of a page.
 * @returns null when it says nothing about the token
 */
function readDebugToken(
  body: JsonObject,
  { account, scope, token }: { account: CallAccount; scope: string; token: string },
): Inspection | null {
  const data = asObject(body.data);
  if (!data || typeof data.is_valid !== "boolean") return null;
  const isValid = data.is_valid;
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
