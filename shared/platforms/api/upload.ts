import { isAttachmentId } from "#features/sending/rules/send-content.ts";
import type { Upload, UploadOutcome } from "../platform.ts";
import type { PlatformHttp } from "./http.ts";
import { toOutcome } from "./outcome.ts";

/** One call that uploads a file for the account of the token. */
interface UploadPost {
  /** The URL of the account, without a trailing slash. */
  readonly accountUrl: string;
  readonly token: string;
  readonly upload: Upload;
  /** Further fields of the body: the platform of the account where the token has several, and the proof of the app. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Uploads one file, which the platform fetches from its URL. Makes one call. */
export async function postUpload(
  http: PlatformHttp,
  { accountUrl, token, upload, fields }: UploadPost,
): Promise<UploadOutcome> {
  const { type, url, leavesBy, endsBy } = upload;
  const outcome = await http.post({
    url: `${accountUrl}/message_attachments`,
    token,
    body: { message: { attachment: { type, payload: { url, is_reusable: true } } }, ...fields },
    deadline: http.deadline(type === "video" ? "video" : "call", endsBy),
    leavesBy,
  });
  return toOutcome(outcome, { token }, (body) => {
    const attachmentId = readAttachmentId(body?.attachment_id);
    return attachmentId === null ? null : { kind: "accepted", attachmentId };
  });
}

/** An id that a send accepts. The platforms' ids are digits, and a number among them is read as its digits. */
function readAttachmentId(value: unknown): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && isAttachmentId(text) ? text : null;
}
