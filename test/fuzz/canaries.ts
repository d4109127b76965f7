import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { newUploadId } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { createKey } from "../features/access/flows/support/api-keys.ts";
import { createInvite, sampleInvite } from "../features/access/store/support/team-samples.ts";
import type { ResourceKind } from "../functions/route-table/rows.ts";
import { createEndpointAt } from "../support/flows/test-endpoints.ts";
import type { TestEnv } from "../support/flows/test-env.ts";
import type { ApiApp } from "../support/routes/api-app.ts";
import { holdAuditEntry, sampleHold } from "../support/stores/hold-samples.ts";
import { SAMPLE_INBOX, sampleMessage } from "../support/stores/samples.ts";
import { sampleUpload } from "../support/stores/upload-samples.ts";

interface Canaries {
  /** What no one else may see. */
  readonly hidden: readonly string[];
  /** The ids of its resources, one of each kind. */
  readonly ids: Readonly<Partial<Record<ResourceKind, string>>>;
}

/** Gives a tenant data that names the tenant in every field that is a text. */
export async function plantCanaries(testEnv: TestEnv, api: ApiApp, tenant: TenantId): Promise<Canaries> {
  const { table } = testEnv;
  const canary = `canary-${tenant}-canary`;
  const account = { platform: "instagram", externalId: `ig-${tenant}` } as const;
  const person = `person-${canary}`;
  const conversation = conversationId({ tenant, account, participantId: person });
  const message = sampleMessage(tenant, {
    id: `mid-${canary}`,
    account,
    conversationId: conversation,
    text: `text ${canary}`,
    participant: { id: person, handle: `handle ${canary}`, username: `user ${canary}`, name: `name ${canary}` },
    sentAt: testEnv.now(),
  });
  await messageStore(table).record(tenant, message, testEnv.now());
  await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
  const times = { createdAt: testEnv.now(), expiresAt: testEnv.now() + 15 * MINUTE };
  const content = { kind: "text", text: `held ${canary}` } as const;
  const hold = sampleHold(tenant, { ...times, conversationId: conversation, content });
  await holdStore(table).create(hold, testEnv.now(), holdAuditEntry(hold));
  const upload = sampleUpload(tenant, {
    id: newUploadId(testEnv.now()),
    conversationId: conversation,
    filename: `${canary}.png`,
  });
  await uploadStore(table).create(upload, testEnv.now());
  const endpoint = await createEndpointAt(testEnv, await testEnv.newQueues(), tenant, `http://127.0.0.1:9/${canary}`);
  const key = await createKey(
    api.ports,
    tenant,
    { scope: "live", label: canary, author: { actor: "cli" } },
    testEnv.now(),
  );
  const invite = sampleInvite(tenant, { email: `${canary}@example.com` });
  await createInvite(table, invite);
  return {
    hidden: [canary, hold.id, upload.id, endpoint.id, key.id, invite.id, `ig-${tenant}`],
    ids: {
      conversation,
      message: message.id,
      hold: hold.id,
      upload: upload.id,
      endpoint: endpoint.id,
      key: key.id,
      invite: invite.id,
      account: `instagram#${account.externalId}`,
      tenant,
    },
  };
}
