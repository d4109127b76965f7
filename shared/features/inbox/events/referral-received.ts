import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { accountKey, platforms } from "#features/accounts/rules/accounts.ts";
import type { Message, Referral } from "../rules/messages.ts";
import { participantFields, referralFields, toReferralFields } from "./message.ts";
import { SAMPLE_AT, sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "referral.received";

const dataSchema = () =>
  z.object({
    referral: z.object({
      conversation_id: z.string(),
      account_key: z.string(),
      platform: z.enum(platforms),
      participant: participantFields(),
      ...referralFields(),
      at: z.iso.datetime(),
    }),
  });
type ReferralReceivedData = z.infer<ReturnType<typeof dataSchema>>;

/** A referral that came without a message. */
export interface ReceivedReferral extends Pick<Message, "conversationId" | "account" | "participant"> {
  readonly referral: Referral;
  readonly at: Millis;
}

export function renderReferralReceived(
  tenant: TenantId,
  eventUlid: string,
  { conversationId, account, participant, referral, at }: ReceivedReferral,
): RenderedEvent {
  const data: ReferralReceivedData = {
    referral: {
      conversation_id: conversationId,
      account_key: accountKey(account),
      platform: account.platform,
      participant,
      ...toReferralFields(referral),
      at: iso(at),
    },
  };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const referralReceived: EventDefinition = {
  description:
    "A person came to the conversation by a link, ad or plugin without a message. It opens no messaging window.",
  dataSchema,
  example: () =>
    renderReferralReceived(sampleTenant(), sampleUlid(TYPE), {
      ...sampleInboundMessage(),
      referral: { ref: "summer-sale", source: "SHORTLINK", type: "OPEN_THREAD", adId: null },
      at: SAMPLE_AT,
    }),
};
