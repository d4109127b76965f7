import { compress } from "../../../../shared/kernel/compression.ts";
import type { Millis } from "../../../../shared/kernel/time.ts";
import { writeInbound } from "../../../../shared/queues/messages.ts";
import { PERSON } from "../../stores/support/samples.ts";

/** One message of a platform's webhook. */
export interface Said {
  readonly mid: string;
  readonly text: string;
  readonly at: Millis;
  /** The account itself said it, in the platform's own app. */
  readonly echo?: boolean;
}

/** An Instagram webhook about one account, as its bytes come. */
export function webhook(accountId: string, said: readonly Said[]): string {
  const messaging = said.map(({ mid, text, at, echo }) => ({
    sender: { id: echo ? accountId : PERSON },
    recipient: { id: echo ? PERSON : accountId },
    timestamp: at,
    message: { mid, text, ...(echo ? { is_echo: true } : {}) },
  }));
  return JSON.stringify({ object: "instagram", entry: [{ id: accountId, time: said[0]?.at, messaging }] });
}

/** The same on the inbound queue. */
export function inboundOf(raw: string, receivedAt: Millis): string {
  return writeInbound({ receivedAt, bytes: compress(raw), file: null });
}
