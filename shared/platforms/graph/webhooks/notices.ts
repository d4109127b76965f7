import type { Update } from "#features/inbox/rules/updates.ts";
import { type JsonObject, readMessageId, readText, readTime } from "../json.ts";
import {
  type Entry,
  eventTime,
  readAuthor,
  readEventContext,
  readReferralFields,
  recipientId,
  truncation,
} from "./messages.ts";

// Events beside messages. Each reader returns null when the event is malformed.

const TEXT_CHARS_MAX = 20_000;
const REASON_CHARS_MAX = 1_000;
const WORD_CHARS_MAX = 64;

export function readReaction(entry: Entry, event: JsonObject, reaction: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  const messageId = readMessageId(reaction.mid);
  const action = reaction.action;
  if (!context || messageId === null || (action !== "react" && action !== "unreact")) return null;
  return {
    kind: "reaction",
    ...context,
    ...readAuthor(entry, event),
    messageId,
    action,
    reaction: readText(reaction.reaction, WORD_CHARS_MAX),
    emoji: readText(reaction.emoji, WORD_CHARS_MAX),
  };
}

export function readRead(entry: Entry, event: JsonObject, read: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  const messageId = readMessageId(read.mid);
  const watermark = readTime(read.watermark);
  if (!context || (messageId === null && watermark === null)) return null;
  return { kind: "read", ...context, messageId, watermark };
}

export function readDelivery(entry: Entry, event: JsonObject, delivery: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  if (!context) return null;
  const mids: unknown[] = Array.isArray(delivery.mids) ? delivery.mids : [];
  return { kind: "delivered", ...context, messageIds: mids.map(readMessageId).filter((id) => id !== null) };
}

export function readReferral(entry: Entry, event: JsonObject, body: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  const referral = readReferralFields(body);
  return context && referral && { kind: "referral", ...context, referral };
}

/** The platforms also send edits with number 0 or without text, right after a message is created. They are ignored. */
export function readEdit(entry: Entry, event: JsonObject, edit: JsonObject): Update | null {
  const text = readText(edit.text, TEXT_CHARS_MAX);
  const editCount = readCount(edit.num_edit ?? 1);
  if (!text || editCount === 0) return { kind: "ignored", reason: "edit_noise" };
  const context = readEventContext(entry, event);
  const messageId = readMessageId(edit.mid);
  if (!context || messageId === null || editCount === null) return null;
  return {
    kind: "edit",
    ...context,
    ...readAuthor(entry, event),
    messageId,
    text,
    ...truncation(edit.text, text),
    editCount,
  };
}

function readCount(value: unknown): number | null {
  const count = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** A policy action against the account. No person is involved. */
export function readPolicy(entry: Entry, event: JsonObject, policy: JsonObject): Update | null {
  const explicitAccountId = recipientId(event);
  const externalId = explicitAccountId === undefined ? entry.id : explicitAccountId;
  const { at } = eventTime(entry, event);
  const action = policy.action;
  if (!externalId || (action !== "warning" && action !== "block" && action !== "unblock")) return null;
  const account = { platform: entry.platform, externalId };
  return { kind: "policy", account, at, action, reason: readText(policy.reason, REASON_CHARS_MAX) };
}
