import { eventTypes } from "#base/events/events.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import type { DeleteTenantPorts } from "#features/tenants/ports.ts";
import { createWebhook } from "#features/webhooks/flows.ts";
import { tenantCaller } from "../../../../support/flows/data-subject.ts";
import type { TestEnv, TestQueues } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { sampleConversationId, sampleMessage } from "../../../../support/stores/samples.ts";
import { createKey } from "../../../access/flows/support/api-keys.ts";
import { newEmail, openTeamEnv } from "../../../access/flows/team/support/team.ts";
import { linkTestAccount } from "../../../accounts/flows/support/link-test-account.ts";
import { noStream } from "../../../realtime/flows/support/no-stream.ts";

/** The platforms end every subscription. */
export const noSubscriptions = {
  ...noStream,
  accountPlatformFor: async () => ({
    subscribe: async () => ({ kind: "done" }) as const,
    unsubscribe: async () => ({ kind: "done" }) as const,
  }),
  vault: { open: async () => "token" },
  accountWork: { send: () => Promise.reject(new Error("No account came while a subscription was ended.")) },
  log: () => {},
};

interface Size {
  readonly messages: number;
  readonly endpoints: number;
  readonly keys: number;
}

const MESSAGES_PER_PERSON = 100;
const PEOPLE_AT_ONCE = 10;

/**
 * A tenant with an owner, a pending invite, an account, keys, endpoints and messages of a person per hundred, each with
 * a delivery, an idempotency key and a claim to count it.
 */
export async function openWorkspace(
  testEnv: TestEnv,
  queues: TestQueues,
  { tenant, size }: { readonly tenant: TenantId; readonly size: Size },
) {
  const now = testEnv.now();
  const stores = openStores(testEnv.table);
  const api = testEnv.apiPorts(queues);
  const team = openTeamEnv(testEnv);
  await createTenant(team.ports, tenant, { name: "Shop", ownerEmail: newEmail(), author: { actor: "cli" } }, now);
  const [invite] = await stores.invites.list(tenant);
  if (!invite) throw new Error("The owner is not invited.");
  const ownerId = await team.newMember(tenant, "owner");
  const externalId = `ig-${tenant}`;
  const account = { platform: "instagram", externalId } as const;
  await linkTestAccount(
    { ...stores, vault: testEnv.newVault() },
    {
      tenant,
      account: { ...account, connection: "instagram_login", handle: "@shop", displayName: "Shop", pageId: null },
      token: "token",
      author: { actor: "cli" },
      now,
    },
  );
  const secrets: string[] = [];
  for (let number = 0; number < size.keys; number++) {
    const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
    secrets.push((await createKey(api, tenant, settings, now)).secret);
  }
  const endpointIds: string[] = [];
  for (let number = 0; number < size.endpoints; number++) {
    const actor = { caller: tenantCaller(tenant), ip: null };
    const created = await createWebhook(api, {
      tenant,
      url: "http://127.0.0.1:9/",
      events: eventTypes,
      author: actor,
      now,
    });
    if (isRefusal(created)) throw new Error("The endpoint was refused.");
    endpointIds.push(created.endpoint.id);
  }
  const addMessage = async (number: number) => {
    const participantId = `person-${Math.floor(number / MESSAGES_PER_PERSON)}`;
    const message = sampleMessage(tenant, {
      id: `${tenant} ${number}`,
      account,
      conversationId: sampleConversationId(tenant, participantId),
      participant: { id: participantId, handle: null, username: null, name: null },
      sentAt: now + number,
    });
    const { ref } = await stores.messages.record(tenant, message, now, 1);
    await stores.conversations.advanceHead(tenant, message, { accountHandle: "@shop", shards: 1 });
    const { eventUlid } = message;
    const source = { conversationId: message.conversationId, position: ref.position };
    const endpointId = endpointIds[number % endpointIds.length] ?? "";
    const outcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 1 } as const;
    await stores.deliveries.recordFirst(
      tenant,
      { endpointId, eventUlid, eventType: "message.received", source },
      { verdict: { status: "failed" }, outcome, settledAt: now },
    );
    await stores.counters.claimCount(tenant, eventUlid, now);
    await stores.idempotencyKeys.claimKey(tenant, { keyHash: `${number}`, bodyHash: "b", workId: "w" }, now);
  };
  const firsts = Array.from(
    { length: Math.ceil(size.messages / MESSAGES_PER_PERSON) },
    (_, n) => n * MESSAGES_PER_PERSON,
  );
  await forEachConcurrent(firsts, PEOPLE_AT_ONCE, async (first) => {
    for (let n = first; n < Math.min(first + MESSAGES_PER_PERSON, size.messages); n++) await addMessage(n);
  });
  const conversation = sampleConversationId(tenant, "person-0");
  return { tenant, ownerId, inviteId: invite.id, account, secrets, endpointIds, conversation };
}

/** What a deletion needs, with a platform that ends every subscription. */
export const deletionPorts = (testEnv: TestEnv): DeleteTenantPorts => ({
  ...openStores(testEnv.table),
  ...noSubscriptions,
  uploadFiles: testEnv.uploadFiles,
});

/** Deletes a tenant. @param onWait runs during each wait, after the clock. @param ports replace the default ones */
export async function runDeletion(
  testEnv: TestEnv,
  tenant: TenantId,
  onWait: (duration: Millis) => Promise<void> | void = () => {},
  ports: Partial<DeleteTenantPorts> = {},
) {
  return deleteTenant(
    { ...deletionPorts(testEnv), ...ports },
    {
      tenant,
      author: { actor: "cli" },
      time: {
        now: testEnv.now,
        wait: async (duration) => {
          testEnv.advance(duration);
          await onWait(duration);
        },
      },
      report: () => {},
    },
  );
}
