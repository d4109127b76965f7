import type { TenantId } from "#base/kernel/tenant.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { newTenant, PERSON } from "../stores/samples.ts";
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
