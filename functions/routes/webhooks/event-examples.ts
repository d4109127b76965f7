import type { Account } from "../../../shared/domain/accounts/accounts.ts";
import { type EventType, renderEvent, renderMessageEvent } from "../../../shared/domain/events/events.ts";
import { accountEventData, changeEvent } from "../../../shared/domain/events/message-changes.ts";
import { conversationId } from "../../../shared/domain/inbox/conversations.ts";
import type { Message } from "../../../shared/domain/inbox/messages.ts";
import { TEST_NOTE } from "../../../shared/flows/webhooks/send-test.ts";
import { deriveUlid } from "../../../shared/kernel/ids.ts";
import { toHttpError } from "../../../shared/kernel/refusals.ts";
import { parseTenant } from "../../../shared/kernel/tenant.ts";

// One event of each type, made as the real ones are made. The bytes are the same at every start.

const AT = Date.UTC(2026, 10, 21, 15, 12, 34, 402);
const tenant = parseTenant("demo");
if (!tenant) throw new Error("The example's tenant is not a slug.");
const tenantId = tenant;

const account: Account = {
  platform: "messenger",
  externalId: "100000000000001",
  connection: "messenger",
  handle: "demo-shop",
  displayName: "Demo Shop",
  pageId: "100000000000001",
  status: "active",
  refreshError: null,
  lastRefreshedAt: null,
  sealedToken: new Uint8Array(),
};
const participantId = "24010000000000017";
const conversation = conversationId({ tenant: tenantId, account, participantId });

const inboundMessage: Message = {
  id: "m_AbCdEf0123456789",
  conversationId: conversation,
  account: { platform: account.platform, externalId: account.externalId },
  participant: { id: participantId, handle: "Ada Lovelace", username: null },
  direction: "inbound",
  text: "Hello, is this still available?",
  attachments: [],
  sentAt: AT - 1_402,
  sentVia: "participant",
  actorId: null,
  replyTo: null,
  scope: "live",
  eventUlid: deriveUlid(AT, "message.received"),
};

const outboundMessage: Message = {
  ...inboundMessage,
  id: "m_GhIjKl0123456789",
  direction: "outbound",
  text: "Yes, it is.",
  attachments: [{ type: "image", url: "https://cdn.example.com/photo.jpg" }],
  sentVia: "api_in_window",
  actorId: "usr_42",
  replyTo: inboundMessage.id,
  eventUlid: deriveUlid(AT, "message.sent"),
};

const change = {
  account: inboundMessage.account,
  participantId,
  messageId: inboundMessage.id,
  at: AT,
};
const endpointId = deriveUlid(AT, "an endpoint");

/** What an event of the type tells, as an example. */
function exampleData(type: EventType): object {
  switch (type) {
    case "message.received":
      return parseEvent(renderMessageEvent(tenantId, inboundMessage)).data;
    case "message.sent":
      return parseEvent(renderMessageEvent(tenantId, outboundMessage)).data;
    case "message.failed": {
      const { message } = parseEvent(renderMessageEvent(tenantId, outboundMessage)).data as { message: object };
      const { code, message: errorMessage } = toHttpError("outcome_unknown");
      const error = { code, message: errorMessage, detail: "outcome_unknown" };
      return { message: { ...message, id: null }, error };
    }
    case "message.deleted":
      return changeEvent({ ...change, kind: "unsend" }, conversation).data;
    case "message.edited":
      return changeEvent({ ...change, kind: "edit", text: "Hello, is it still there?", editCount: 1 }, conversation)
        .data;
    case "message.reaction":
      return changeEvent({ ...change, kind: "reaction", action: "react", reaction: "love", emoji: "❤️" }, conversation)
        .data;
    case "account.connected":
    case "account.reconnected":
    case "account.disconnected":
      return accountEventData(account, "user");
    case "account.needs_reauth":
      return accountEventData({ ...account, status: "needs_reauth" }, "token_invalid");
    case "account.restricted":
      return accountEventData({ ...account, status: "restricted" }, "policy");
    case "account.recovered":
      return accountEventData(account, "policy");
    case "webhook.paused":
      return { endpoint_id: endpointId, reason: "gone" };
    case "test.event":
      return { endpoint_id: endpointId, note: TEST_NOTE, requested_by: `key:${deriveUlid(AT, "a key")}` };
  }
}

/** A whole event of the type, as a receiver would parse it. */
export function exampleEvent(type: EventType): { readonly data: object } & Record<string, unknown> {
  return parseEvent(renderEvent(tenantId, deriveUlid(AT, type), type, exampleData(type)));
}

function parseEvent({ body }: { body: string }): { readonly data: object } & Record<string, unknown> {
  return JSON.parse(body);
}
