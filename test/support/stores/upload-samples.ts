import type { TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { newUploadId } from "#features/uploads/rules/uploads.ts";
import { type NewUpload, uploadStore } from "#features/uploads/store/uploads.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "./samples.ts";

/** An upload as it is created. */
export function sampleUpload(tenant: TenantId, rest: Partial<NewUpload> = {}): NewUpload {
  return {
    id: newUploadId(NOW),
    conversationId: sampleConversationId(tenant),
    scope: "live",
    filename: "Über uns.png",
    contentType: "image/png",
    size: 12_345,
    type: "image",
    ...rest,
  };
}

/** A waiting upload of a tenant of its own, whose conversation has one message. */
export async function createSampleUpload(table: Table, rest: Partial<NewUpload> = {}): Promise<NewUpload> {
  const tenant = newTenant();
  const message = sampleMessage(tenant, { id: `${tenant} m`, sentAt: NOW });
  await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
  const upload = sampleUpload(tenant, rest);
  if (!(await uploadStore(table).create(upload, NOW))) throw new Error("There is no conversation.");
  return upload;
}
