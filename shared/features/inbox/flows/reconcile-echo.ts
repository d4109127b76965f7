import { isUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import {
  contentHash,
  echoCandidates,
  echoSendWindow,
  isPageInbox,
  type SendRecord,
} from "#features/sending/rules/sends.ts";
import type { IngestPorts } from "../ports.ts";
import { findEchoedUrls, type Message } from "../rules/messages.ts";
import type { MessageUpdate } from "../rules/updates.ts";
import type { RecordedMessage } from "../store/messages.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

type EchoPorts = Pick<IngestPorts, "outboundMessages" | "sendRecords">;

/** A message that the account sent, as the platform repeats it. */
interface Echo {
  readonly account: Pick<ResolvedAccount, "tenant" | "shards">;
  /** As the echo alone describes it. */
  readonly message: Message;
  readonly origin: NonNullable<MessageUpdate["echo"]>;
  readonly now: Millis;
}

/**
 * Stores a message that the account sent. An echo of a send through the API is stored as that send, even where the
 * platform's response to the send has not arrived or never does. It is matched by message id, then by metadata, then by
 * content. Any other message is stored as an echo. The echo names the URLs of uploads that were sent, which only the
 * platform has.
 */
export async function reconcileEcho(
  ports: EchoPorts,
  { account: { tenant, shards }, message, origin, now }: Echo,
): Promise<RecordedMessage> {
  const marker = await ports.outboundMessages.claimMarker(message, now);
  const send = marker.author.direction === "outbound" ? null : await matchSend(ports, message, origin);
  const markedMessage = send ? asOutbound(message, send) : message;
  const recorded = await ports.outboundMessages.saveMarked(tenant, markedMessage, marker, { now, shards });
  const urls = findEchoedUrls(recorded.message, message.attachments);
  if (!urls) return recorded;
  return { ...recorded, message: await ports.outboundMessages.saveEchoedUrls(tenant, recorded, urls) };
}

/**
 * Whether a message is of a send through the API of which nothing remains to do: the due item is removed last, after the
 * message is stored, the head advanced and the event queued. An answer that is behind loses nothing. Without the marker the
 * echo repeats that work, and what a missing due item hides is left to the sweep.
 */
export async function isOfSettledSend(
  ports: Pick<IngestPorts, "outboundMessages" | "dueSends">,
  message: Message,
): Promise<boolean> {
  const send = await ports.outboundMessages.findSend(message);
  return send !== null && !(await ports.dueSends.isDue(send));
}

/** Finds and settles the send that an echo is of. @returns null when no send matches */
async function matchSend(
  ports: EchoPorts,
  message: Message,
  { appId, metadata }: NonNullable<MessageUpdate["echo"]>,
): Promise<SendRecord | null> {
  // Metadata identifies the sender. An echo with foreign metadata is not matched by content.
  if (metadata) return isUlid(metadata) ? matchByMetadata(ports, message, metadata) : null;
  // A message from the page inbox has its app id. No send through the API does.
  return isPageInbox(appId) ? null : matchByContent(ports, message);
}

async function matchByMetadata(ports: EchoPorts, message: Message, sendId: string): Promise<SendRecord | null> {
  const record = await ports.sendRecords.get(message.conversationId, sendId);
  if (record?.scope !== "live") return null;
  if (record.messageId !== message.id && record.messageIdSource !== "answer") {
    await ports.sendRecords.matchEcho(message.conversationId, record, message);
  }
  return record;
}

async function matchByContent(ports: EchoPorts, message: Message): Promise<SendRecord | null> {
  const { from, until } = echoSendWindow(message.sentAt);
  const records = await ports.sendRecords.startedBetween(message.conversationId, from, until);
  const content = contentHash(message.text, message.attachments);
  for (const record of echoCandidates(records, { messageId: message.id, content })) {
    if (record.messageId === message.id) return record;
    if (await ports.sendRecords.matchEcho(message.conversationId, record, message)) return record;
  }
  return null;
}

function asOutbound(message: Message, { via, actorId, replyTo, holdId }: SendRecord): Message {
  return { ...message, direction: "outbound", sentVia: via, actorId, replyTo, ...(holdId ? { holdId } : {}) };
}
