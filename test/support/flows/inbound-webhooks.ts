import { compress } from "#base/kernel/compression.ts";
import type { Millis } from "#base/kernel/time.ts";
import { encodeInbound } from "#features/inbox/queue.ts";
import { PERSON } from "../stores/samples.ts";

/** One message of a platform's webhook. */
export interface WebhookText {
  readonly mid: string;
  readonly text: string;
  readonly at: Millis;
  /** The account itself sent it, in the platform's own app. */
  readonly echo?: boolean;
  /** Default: one and the same person. */
  readonly person?: string;
}

/** The raw body of an Instagram webhook about one account. */
export function instagramWebhook(accountId: string, texts: readonly WebhookText[]): string {
  const messaging = texts.map(({ mid, text, at, echo, person = PERSON }) => ({
    sender: { id: echo ? accountId : person },
    recipient: { id: echo ? person : accountId },
    timestamp: at,
    message: { mid, text, ...(echo ? { is_echo: true } : {}) },
  }));
  return JSON.stringify({ object: "instagram", entry: [{ id: accountId, time: texts[0]?.at, messaging }] });
}

/** The body of a message on the inbound queue with that webhook. */
export function inboundBody(raw: string, receivedAt: Millis): string {
  return encodeInbound({ receivedAt, bytes: compress(raw), file: null });
}
