import type { Millis } from "#base/kernel/time.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { readRefusal } from "../api/errors.ts";
import { asObject, type JsonObject, readTime } from "../json.ts";
import type { CallAccount, CallFailure, Inspection } from "./account-platform.ts";
import { readAccountId, readNames } from "./values.ts";

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
