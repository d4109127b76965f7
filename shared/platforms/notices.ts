import type { Update } from "../domain/inbox/updates.ts";
import { aboutOf, type Entry, instantOf, recipientOf } from "./about.ts";
import { type JsonObject, messageIdOf, textOf, timeOf } from "./json.ts";

// What happens around messages: each reader gives null when the event is malformed.

const TEXT_CHARS_MAX = 20_000;
const REASON_CHARS_MAX = 1_000;
const WORD_CHARS_MAX = 64;
const REFERRAL_CHARS_MAX = 2_083;

export function readReaction(entry: Entry, event: JsonObject, reaction: JsonObject): Update | null {
  const about = aboutOf(entry, event);
  const messageId = messageIdOf(reaction.mid);
  const action = reaction.action;
  if (!about || messageId === null || (action !== "react" && action !== "unreact")) return null;
  return {
    kind: "reaction",
    ...about,
    messageId,
    action,
    reaction: textOf(reaction.reaction, WORD_CHARS_MAX),
    emoji: textOf(reaction.emoji, WORD_CHARS_MAX),
  };
}

export function readRead(entry: Entry, event: JsonObject, read: JsonObject): Update | null {
  const about = aboutOf(entry, event);
  const messageId = messageIdOf(read.mid);
  const watermark = timeOf(read.watermark);
  if (!about || (messageId === null && watermark === null)) return null;
  return { kind: "read", ...about, messageId, watermark };
}

export function readDelivery(entry: Entry, event: JsonObject, delivery: JsonObject): Update | null {
  const about = aboutOf(entry, event);
  if (!about) return null;
  const mids: unknown[] = Array.isArray(delivery.mids) ? delivery.mids : [];
  return { kind: "delivered", ...about, messageIds: mids.map(messageIdOf).filter((id) => id !== null) };
}

export function readReferral(entry: Entry, event: JsonObject, referral: JsonObject): Update | null {
  const about = aboutOf(entry, event);
  if (!about) return null;
  return {
    kind: "referral",
    ...about,
    ref: textOf(referral.ref, REFERRAL_CHARS_MAX),
    source: textOf(referral.source, WORD_CHARS_MAX),
  };
}

/** An edit by its author. The platform also sends "edits" numbered 0 or without text, right after a message is made. */
export function readEdit(entry: Entry, event: JsonObject, edit: JsonObject): Update | null {
  const text = textOf(edit.text, TEXT_CHARS_MAX);
  const editCount = countOf(edit.num_edit ?? 1);
  if (!text || editCount === 0) return { kind: "ignored", why: "edit_noise" };
  const about = aboutOf(entry, event);
  const messageId = messageIdOf(edit.mid);
  if (!about || messageId === null || editCount === null) return null;
  return { kind: "edit", ...about, messageId, text, editCount };
}

function countOf(value: unknown): number | null {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** What the platform tells the account itself; no person takes part. */
export function readPolicy(entry: Entry, event: JsonObject, policy: JsonObject): Update | null {
  const named = recipientOf(event);
  const externalId = named === undefined ? entry.id : named;
  const at = instantOf(entry, event);
  const action = policy.action;
  if (!externalId || at === null || (action !== "warning" && action !== "block" && action !== "unblock")) return null;
  const account = { platform: entry.platform, externalId };
  return { kind: "policy", account, at, action, reason: textOf(policy.reason, REASON_CHARS_MAX) };
}
