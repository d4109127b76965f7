import type { Message } from "../../domain/inbox/messages.ts";
import type { MessageUpdate } from "../../domain/inbox/updates.ts";
import {
  contentHash,
  echoCandidates,
  echoSendWindow,
  isPageInbox,
  type SendRecord,
} from "../../domain/sending/sends.ts";
import { isUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { RecordedMessage } from "../../stores/inbox/messages.ts";
import type { IngestPorts } from "./ports.ts";

type EchoPorts = Pick<IngestPorts, "outboundMessages" | "sendRecords">;

/**
 * Keeps a message that the platform tells us the account sent. One of our own sends is kept as that, also when the
 * platform's answer to it has not come yet, or never comes: it is known by its message id, else by the metadata that
 * the send gave it, else by its content. Whatever is none of ours is kept as an echo.
 * @param message as the echo alone tells it
 */
export async function reconcileEcho(
  ports: EchoPorts,
  tenant: TenantId,
  message: Message,
  echo: NonNullable<MessageUpdate["echo"]>,
  now: Millis,
  shards: number,
): Promise<RecordedMessage> {
  const mark = await ports.outboundMessages.mark(message, now);
  const send = mark.author.direction === "outbound" ? null : await matchSend(ports, message, echo);
  return ports.outboundMessages.keep(tenant, send ? asOutbound(message, send) : message, mark, now, shards);
}

/** The send that an echo is of, settled by it; null when it is none of ours, as far as can be told. */
async function matchSend(
  ports: EchoPorts,
  message: Message,
  { appId, metadata }: NonNullable<MessageUpdate["echo"]>,
): Promise<SendRecord | null> {
  // Whatever carries metadata carries its own sender's: then another send of ours with the same words is not meant.
  if (metadata) return isUlid(metadata) ? matchByMetadata(ports, message, metadata) : null;
  // The page inbox names itself, and nothing that we send does.
  return isPageInbox(appId) ? null : matchByContent(ports, message);
}

async function matchByMetadata(ports: EchoPorts, message: Message, sendId: string): Promise<SendRecord | null> {
  const record = await ports.sendRecords.get(message.conversationId, sendId);
  if (record?.scope !== "live") return null;
  if (record.messageId !== message.id && record.messageIdSource !== "answer") {
    await ports.sendRecords.claim(message.conversationId, record, message.id);
  }
  return record;
}

async function matchByContent(ports: EchoPorts, message: Message): Promise<SendRecord | null> {
  const { from, until } = echoSendWindow(message.sentAt);
  const records = await ports.sendRecords.startedBetween(message.conversationId, from, until);
  const content = contentHash(message.text, message.attachments);
  for (const record of echoCandidates(records, { messageId: message.id, content })) {
    if (record.messageId === message.id) return record;
    if (await ports.sendRecords.claim(message.conversationId, record, message.id)) return record;
  }
  return null;
}

function asOutbound(message: Message, { via, actorId, replyTo, holdId }: SendRecord): Message {
  return { ...message, direction: "outbound", sentVia: via, actorId, replyTo, ...(holdId ? { holdId } : {}) };
}
