import type { Outgoing } from "../aws/queues.ts";
import { type AccountRef, accountKey } from "../domain/accounts.ts";
import { type ConversationRef, conversationId } from "../domain/conversations.ts";
import { eventUlidOf, typeOfMessageEvent } from "../domain/events.ts";
import { RETENTION } from "../domain/limits.ts";
import type { Message } from "../domain/messages.ts";
import type { MessageUpdate, Update } from "../domain/updates.ts";
import { compress, decompress } from "../kernel/compression.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { iso, MINUTE, type Millis } from "../kernel/time.ts";
import type { AccountRoute } from "../table/accounts.ts";
import type { Recorded } from "../table/messages.ts";
import type { IngestPorts } from "./ports.ts";
import { type InboundMessage, writeEvent } from "./queue-messages.ts";

/** A verified webhook's bytes, decompressed. @returns null when the file it names is gone */
export async function openInbound(ports: IngestPorts, inbound: InboundMessage): Promise<Uint8Array | null> {
  const bytes = inbound.bytes ?? (inbound.file ? await ports.files.get(inbound.file) : null);
  return bytes ? decompress(bytes) : null;
}

/**
 * Keeps the raw copies of a batch, for 7 days, as one file. Repeated with another batch around it, a copy is kept
 * twice, which harms nobody.
 */
export async function keepRawCopies(
  ports: IngestPorts,
  batchId: string,
  copies: readonly { receivedAt: Millis; raw: Uint8Array }[],
  now: Millis,
): Promise<void> {
  if (copies.length === 0) return;
  const lines = copies.map(({ receivedAt, raw }) =>
    JSON.stringify({ received_at: iso(receivedAt), body: Buffer.from(raw).toString("utf8") }),
  );
  const at = iso(now);
  const key = `raw/${at.slice(0, 10)}/${at.slice(11, 13)}/${batchId}.ndjson.gz`;
  await ports.files.put(key, compress(`${lines.join("\n")}\n`));
}

/** Remembers for a minute which tenant an account belongs to; a batch that asks for one account at once reads it once. */
export function accountRoutes(ports: Pick<IngestPorts, "accounts">) {
  const known = new Map<string, { route: Promise<AccountRoute | null>; until: Millis }>();
  return (ref: AccountRef, now: Millis): Promise<AccountRoute | null> => {
    const key = accountKey(ref);
    const kept = known.get(key);
    if (kept && kept.until > now) return kept.route;
    const mine = { route: ports.accounts.routeOf(ref), until: now + MINUTE };
    known.set(key, mine);
    const forget = () => {
      if (known.get(key) === mine) known.delete(key);
    };
    // Only an account that is connected is remembered: the next one to ask reads anew.
    mine.route.then((route) => route ?? forget(), forget);
    return mine.route;
  };
}

/**
 * Takes the updates of one webhook: each message is kept and brings its conversation's head up to date.
 * @returns the announcements to be queued before the webhook is done with; also of messages that were already there,
 * for the run before may have died before announcing
 */
export async function ingestUpdates(
  ports: IngestPorts,
  routeOf: ReturnType<typeof accountRoutes>,
  updates: readonly Update[],
  now: Millis,
): Promise<Outgoing[]> {
  const messages = updates.filter((update): update is MessageUpdate => update.kind === "message");
  const unknown = new Map<string, number>();
  const announcements: Outgoing[] = [];
  for (const update of messages) {
    const route = await routeOf(update.account, now);
    if (!route) {
      unknown.set(update.account.platform, (unknown.get(update.account.platform) ?? 0) + 1);
      continue;
    }
    if (update.at <= now - RETENTION) continue;
    const message = messageFrom(
      update,
      { tenant: route.tenant, account: update.account, participantId: update.participantId },
      now,
    );
    const kept = update.echo
      ? await ports.messages.recordOutbound(route.tenant, message, now)
      : await ports.messages.record(route.tenant, message, now);
    await ports.conversations.apply(route.tenant, kept.message, route.handle);
    announcements.push(announcementOf(route.tenant, kept));
  }
  for (const [platform, count] of unknown) ports.log({ event: "unknown_account", platform, updates: count });
  return announcements;
}

function messageFrom(update: MessageUpdate, ref: ConversationRef, now: Millis): Message {
  const draft: Omit<Message, "eventUlid"> = {
    id: update.messageId,
    conversationId: conversationId(ref),
    account: update.account,
    participant: { id: update.participantId, handle: null, username: null },
    direction: update.echo ? "echo" : "inbound",
    text: update.text,
    attachments: update.attachments,
    sentAt: update.at,
    sentVia: update.echo ? senderOf(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  };
  const type = update.echo ? "message.sent" : "message.received";
  return { ...draft, eventUlid: eventUlidOf(ref.tenant, update.messageId, type, now) };
}

/** The page inbox, and Instagram's own app, which names itself not at all, are native; any other app is another app. */
const PAGE_INBOX_APP = "26390203743090";

function senderOf(appId: string | null): "native_app" | "other_app" {
  return appId === null || appId === PAGE_INBOX_APP ? "native_app" : "other_app";
}

/** The queue message that announces a message: keys alone. */
export function announcementOf(tenant: TenantId, kept: Recorded): Outgoing {
  return {
    body: writeEvent({
      tenant,
      eventUlid: kept.message.eventUlid,
      type: typeOfMessageEvent(kept.message),
      conversationId: kept.ref.conversationId,
      place: kept.ref.place,
      repeated: !kept.fresh,
    }),
    group: tenant,
  };
}
