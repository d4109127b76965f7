import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { newTenant, PERSON } from "../../stores/support/samples.ts";
import type { TestEnv } from "./test-env.ts";

/** Where the person of the samples may write: nothing is kept of it yet. */
export interface NewConversation {
  readonly tenant: TenantId;
  /** The platform's id of the tenant's Instagram account. */
  readonly account: string;
  /** The id that the conversation with the person has there. */
  readonly conversation: string;
}

/** A tenant of its own, with an Instagram account that is connected, and no message yet. */
export async function newConversation(testEnv: TestEnv): Promise<NewConversation> {
  const tenant = newTenant();
  const account = await testEnv.connect(tenant);
  const conversation = conversationId({
    tenant,
    account: { platform: "instagram", externalId: account },
    participantId: PERSON,
  });
  return { tenant, account, conversation };
}
