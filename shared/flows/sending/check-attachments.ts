import { type AccountRef, accountKey } from "../../domain/accounts/accounts.ts";
import type { SendContent } from "../../domain/sending/send-content.ts";
import { invalidField, type Refusal } from "../../kernel/refusals.ts";
import type { AttachmentPorts } from "./ports.ts";

/**
 * Refuses an attachment that another account uploaded: the platforms give an upload to its account only. An unknown
 * attachment is not refused, because the platform knows it or refuses it. Reads nothing for content without an upload.
 */
export async function checkAttachmentOwners(
  ports: AttachmentPorts,
  content: SendContent,
  account: AccountRef,
): Promise<Refusal<"invalid_request"> | null> {
  if (content.kind === "text") return null;
  const uploads = content.attachments.flatMap((attachment, index) =>
    "attachmentId" in attachment ? [{ id: attachment.attachmentId, index }] : [],
  );
  if (uploads.length === 0) return null;
  const owners = await ports.attachmentOwners.getAccountKeys(uploads.map(({ id }) => id));
  const foreign = uploads.find((_upload, i) => owners[i] !== null && owners[i] !== accountKey(account));
  return foreign
    ? invalidField(`attachments[${foreign.index}].attachment_id`, "was uploaded by another account")
    : null;
}
