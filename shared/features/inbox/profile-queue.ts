import * as z from "zod/mini";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, readV1Tenant, tenant, traceId, version } from "#base/queues/envelope.ts";
import { parseConversationId } from "./rules/messages.ts";

/** A profile to fetch: the person on the other side of a conversation. */
export interface ProfileMessage extends Traced {
  readonly tenant: TenantId;
  readonly conversationId: string;
  /** The event of a message waits for the person's name. */
  readonly awaited?: boolean;
}

const schema = z.object({
  v: version,
  tenant,
  conversation_id: z.string(),
  awaited: z.optional(z.boolean()),
  trace_id: traceId,
});

export function encodeProfile(message: ProfileMessage): string {
  const { tenant, conversationId, awaited } = message;
  return encodeBody({ tenant, conversation_id: conversationId, awaited: awaited || undefined }, message);
}

/** Null also when the conversation belongs to another tenant than the message names. */
export function decodeProfile(text: string): ProfileMessage | null {
  return decodeBody(
    text,
    schema,
    (body) =>
      toMessage(body.tenant, body.conversation_id, {
        ...(body.awaited ? { awaited: true } : {}),
        ...traceField(body.trace_id),
      }),
    (body) => toMessage(readV1Tenant(body), body.c, {}),
  );
}

function toMessage(
  tenant: TenantId | null,
  conversationId: unknown,
  rest: Pick<ProfileMessage, "awaited" | "traceId">,
): ProfileMessage | null {
  if (!tenant || typeof conversationId !== "string" || !parseConversationId(tenant, conversationId)) return null;
  return { tenant, conversationId, ...rest };
}
