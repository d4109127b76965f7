import type { PlatformName } from "../../../../shared/domain/accounts/accounts.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { newTenant, PERSON } from "../../stores/support/samples.ts";
import type { TestEnv } from "./test-env.ts";

/** A conversation of the sample person that has no stored data yet. */
export interface NewConversation {
  readonly tenant: TenantId;
  /** The platform's ID of the tenant's account. */
  readonly account: string;
  /** The ID of the conversation with the person there. */
  readonly conversation: string;
}

/** Creates a tenant with a connected account, by default on Instagram, and no message yet. */
export async function newConversation(
  testEnv: TestEnv,
  platform: PlatformName = "instagram",
): Promise<NewConversation> {
  const tenant = newTenant();
  const account = await testEnv.connect(tenant, platform);
  const conversation = conversationId({
    tenant,
    account: { platform, externalId: account },
    participantId: PERSON,
  });
  return { tenant, account, conversation };
}
