import { asObject } from "../json.ts";
import { readAccountId, readNames } from "./graph-call.ts";

// The fields of the webhooks that an account's subscription names.

/** Of a page. They serve its inbox, and any of them lets the events of its Instagram account through. */
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

/** Of an account connected by Instagram Login. Echoes come with `messages`. */
export const instagramFields: readonly string[] = [
  "messages",
  "messaging_postbacks",
  "messaging_seen",
  "message_reactions",
  "messaging_referral",
  "standby",
];

/**
 * Whether the app has every field, by the answer of `GET subscribed_apps`.
 * @param data the list of apps, which may contain other apps than ours
 * @param appId our app's id in the list; null where it is not known, and the first complete app counts
 * @returns null when it is no list
 */
export function isSubscribed(data: unknown, fields: readonly string[], appId: string | null): boolean | null {
  if (!Array.isArray(data)) return null;
  return data.map(asObject).some((app) => {
    if (appId !== null && app?.id !== undefined && readAccountId(app.id) !== appId) return false;
    const subscribedFields = readFieldNames(app?.subscribed_fields);
    return fields.every((field) => subscribedFields.has(field));
  });
}

/** A field is a name, or an object with its name and version. */
export function readFieldNames(value: unknown): ReadonlySet<unknown> {
  const fields: unknown[] = Array.isArray(value) ? value : (readNames(value) ?? []);
  return new Set(fields.map((field) => asObject(field)?.name ?? field));
}
