import { invalidField, type Refusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";
import type { AttachmentPorts } from "./ports.ts";
import type { SendContent } from "./rules/send-content.ts";

/** A send that a tenant requests. */
interface RequestedSend {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly content: SendContent;
  readonly now: Millis;
}

/**
 * Refuses an attachment that the tenant uploaded for another account: the platforms give an upload to its account only.
 * An attachment that the tenant did not upload here is not refused, because the platform knows it or refuses it. Reads
 * nothing for content without an upload.
 */
export async function checkAttachmentOwners(
  ports: AttachmentPorts,
  { tenant, account, content, now }: RequestedSend,
): Promise<Refusal<"invalid_request"> | null> {
  if (content.kind === "text") return null;
  const uploads = content.attachments.flatMap((attachment, index) =>
    "attachmentId" in attachment ? [{ id: attachment.attachmentId, index }] : [],
  );
  if (uploads.length === 0) return null;
  const ids = uploads.map(({ id }) => id);
  const owners = await ports.attachmentOwners.getAccountKeys(tenant, ids, now);
  const foreign = uploads.find((_upload, i) => owners[i] !== null && owners[i] !== accountKey(account));
  return foreign
    ? invalidField(`attachments[${foreign.index}].attachment_id`, "was uploaded by another account")
    : null;
}
