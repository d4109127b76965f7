import * as z from "zod/mini";
import { platforms } from "../../../shared/domain/accounts/accounts.ts";
import { API_VERSION, type EventType } from "../../../shared/domain/events/events.ts";
import { attachmentTypes, directions } from "../../../shared/domain/inbox/messages.ts";

// What receivers are sent, type by type: the bodies themselves are made where the events are.

const messageRef = {
  id: z.string(),
  conversation_id: z.string(),
  account_key: z.string(),
  platform: z.enum(platforms),
};

const messageFields = {
  ...messageRef,
  direction: z.enum(directions),
  text: z.string(),
  attachments: z.array(z.object({ type: z.enum(attachmentTypes), url: z.nullable(z.string()) })),
  sent_at: z.iso.datetime(),
  sent_via: z.enum(["participant", "api_in_window", "api_human_agent", "native_app", "other_app"]),
  actor_id: z.nullable(z.string()),
  reply_to: z.nullable(z.string()),
  participant: z.object({ id: z.string(), handle: z.nullable(z.string()), username: z.nullable(z.string()) }),
  hold_id: z.optional(z.string()),
  test: z.optional(z.boolean()),
};

const message = z.object({ message: z.object(messageFields) });

const failedMessage = z.object({
  message: z.object({ ...messageFields, id: z.null() }),
  error: z.object({ code: z.string(), message: z.string(), detail: z.string() }),
});

const reaction = z.object({
  action: z.enum(["react", "unreact"]),
  reaction: z.nullable(z.string()),
  emoji: z.nullable(z.string()),
});

const account = z.object({
  account: z.object({
    account_key: z.string(),
    platform: z.enum(platforms),
    external_id: z.string(),
    handle: z.string(),
    display_name: z.string(),
    page_id: z.nullable(z.string()),
    status: z.enum(["active", "refresh_failing", "needs_reauth", "restricted"]),
  }),
  reason: z.enum(["user", "platform_deauthorized", "token_invalid", "policy"]),
});

const dataSchemas = {
  "message.received": message,
  "message.sent": message,
  "message.failed": failedMessage,
  "message.deleted": z.object({ message: z.object(messageRef) }),
  "message.edited": z.object({ message: z.object({ ...messageRef, text: z.string(), edit_count: z.int() }) }),
  "message.reaction": z.object({ message: z.object(messageRef), reaction }),
  "account.connected": account,
  "account.reconnected": account,
  "account.disconnected": account,
  "account.needs_reauth": account,
  "account.restricted": account,
  "account.recovered": account,
  "webhook.paused": z.object({ endpoint_id: z.string(), reason: z.string() }),
  "test.event": z.object({ endpoint_id: z.string(), note: z.string(), requested_by: z.string() }),
} satisfies Record<EventType, z.ZodMiniType>;

/** The whole body of an event of this type. */
export function eventSchema(type: EventType) {
  return z.object({
    id: z.string().check(z.regex(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)),
    type: z.literal(type),
    api_version: z.literal(API_VERSION),
    created_at: z.iso.datetime(),
    tenant_id: z.string(),
    data: dataSchemas[type],
  });
}
