import { deriveEventUlid } from "../../domain/events/events.ts";
import type { ConversationHead } from "../../domain/inbox/conversations.ts";
import type { Attachment, Message } from "../../domain/inbox/messages.ts";
import type { SendContent } from "../../domain/sending/send-content.ts";
import { contentHash, type NewSend } from "../../domain/sending/sends.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { PlannedSend } from "./plan.ts";

/** A send under way: all that is told of it, whatever becomes of it and whoever tells. */
export interface SendAttempt {
  readonly tenant: TenantId;
  readonly head: ConversationHead;
  readonly send: NewSend;
  readonly content: SendContent;
  readonly startedAt: Millis;
  /** How many the tenant's feeds have. */
  readonly shards: number;
}

/** What is kept of a planned send. */
export function newSend(plan: PlannedSend, id: string): NewSend {
  const { via, actorId, holdId, replyTo, scope, content } = plan;
  return {
    id,
    content: contentHash(contentText(content), contentAttachments(content)),
    via,
    actorId,
    holdId,
    replyTo,
    scope,
  };
}

/** The message that a send is, or would have been. */
export function outboundMessage({ tenant, head, send, content, startedAt }: SendAttempt, id: string): Message {
  const { via: sentVia, actorId, replyTo, holdId, scope } = send;
  return {
    id,
    conversationId: head.id,
    account: head.ref.account,
    participant: {
      id: head.ref.participantId,
      handle: head.participantHandle,
      username: head.participantUsername,
    },
    direction: "outbound",
    text: contentText(content),
    attachments: contentAttachments(content),
    sentAt: startedAt,
    sentVia,
    actorId,
    replyTo,
    ...(holdId === null ? {} : { holdId }),
    scope,
    eventUlid: deriveEventUlid(tenant, id, "message.sent", startedAt),
  };
}

function contentText(content: SendContent): string {
  return content.kind === "text" ? content.text : "";
}

/** One that the platform already has from an upload has no address that we know. */
function contentAttachments(content: SendContent): Attachment[] {
  if (content.kind === "text") return [];
  return content.attachments.map((attachment) => ({
    type: attachment.type,
    url: "url" in attachment ? attachment.url : null,
  }));
}
