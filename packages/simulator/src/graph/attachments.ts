import type { Context, NodeCall } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { assertMessaging } from "../calls/permissions.ts";
import { type Fields, isFields, parseJson } from "../http/fields.ts";
import type { HttpOutcome } from "../http/http-server.ts";
import { fileExtension } from "../media/uploaded-files.ts";
import type { Fault } from "../world/faults.ts";
import type { Account } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";
import { acceptedResponse, applyUploadFault } from "./fault-responses.ts";
import { isFormat } from "./file-formats.ts";
import { sendersFor } from "./senders.ts";

const mediaTypes = ["image", "video", "audio", "file"];
const megabyte = 1024 * 1024;
const fetchTimeoutMs = 10_000;
const videoFetchTimeoutMs = 75_000;

/** An uploaded file with its declared name and type. */
interface MediaFile {
  name: string;
  mime: string;
  bytes: Buffer;
}

/** `POST /{node}/message_attachments`: uploads a file, from its URL or in the request. */
export async function uploadAttachment(context: Context, nodeCall: NodeCall, fault: Fault): Promise<HttpOutcome> {
  const { host, call } = nodeCall;
  const onInstagram = host === "instagram";
  const fields = call.form === null ? call.body : Object.fromEntries(call.form);
  const account = findUploader(sendersFor(context, nodeCall), fields.platform, onInstagram);
  assertMessaging(nodeCall.token, account);
  applyUploadFault(fault, account);
  const { type, payload } = readAttachment(fields.message, onInstagram);
  const file = call.form?.get("filedata");
  const media = file instanceof File ? await readFile(file) : await fetchFile(payload.url, type, onInstagram);
  // Instagram rejects names with characters outside ASCII.
  if (isInstagram(account) && !/^[ -~]*$/.test(media.name)) {
    throw refuse.parameter("The name of the file must be in ASCII", onInstagram);
  }
  if (media.bytes.length > fileBytesMax(type)) throw refuse.fileTooLarge(onInstagram);
  if (!isAllowedType(account, type, media.mime, media.bytes)) throw refuse.wrongFileType(onInstagram);
  const upload = context.world.addUpload(account, { type, extension: fileExtension(media.mime) });
  context.uploadedFiles.add(upload, media);
  await context.world.save();
  return acceptedResponse(fault, { attachment_id: upload.id });
}

/** The owner of the file: on a Page the Messenger account, unless the call names Instagram. */
function findUploader(accounts: Account[], platform: unknown, onInstagram: boolean): Account {
  const expectedConnection = onInstagram
    ? "instagram_login"
    : platform === "instagram"
      ? "instagram_page"
      : "messenger";
  const account = accounts.find(({ connection }) => connection === expectedConnection);
  if (account === undefined) throw refuse.parameter(`The Page has no account on ${String(platform)}`, onInstagram);
  return account;
}

function readAttachment(rawMessage: unknown, onInstagram: boolean): { type: string; payload: Fields } {
  const message = typeof rawMessage === "string" ? parseJson(rawMessage) : rawMessage;
  const attachment = isFields(message) ? message.attachment : undefined;
  if (!isFields(attachment) || typeof attachment.type !== "string" || !mediaTypes.includes(attachment.type)) {
    throw refuse.invalidMessage(`An attachment's type must be one of {${mediaTypes.join(", ")}}`, onInstagram);
  }
  const payload = isFields(attachment.payload) ? attachment.payload : {};
  if (payload.is_reusable !== true && payload.is_reusable !== "true") {
    throw refuse.parameter("An attachment that is uploaded must be reusable", onInstagram);
  }
  return { type: attachment.type, payload };
}

async function readFile(file: File): Promise<MediaFile> {
  return { name: file.name, mime: file.type, bytes: Buffer.from(await file.arrayBuffer()) };
}

/** Fetches from this machine only: the simulator calls no other host. */
async function fetchFile(url: unknown, type: string, onInstagram: boolean): Promise<MediaFile> {
  if (typeof url !== "string" || !URL.canParse(url)) {
    throw refuse.invalidMessage("An attachment's payload needs a url, or the request a file", onInstagram);
  }
  const { hostname, protocol, pathname } = new URL(url);
  if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname) || !/^https?:$/.test(protocol)) {
    throw refuse.fileNotFetched(onInstagram);
  }
  const signal = AbortSignal.timeout(type === "video" ? videoFetchTimeoutMs : fetchTimeoutMs);
  try {
    const response = await fetch(url, { signal, redirect: "error" });
    if (response.status !== 200) throw refuse.fileNotFetched(onInstagram);
    const bytes = await readUpTo(response, fileBytesMax(type) + 1);
    return { name: fileName(pathname), mime: response.headers.get("content-type") ?? "", bytes };
  } catch {
    throw signal.aborted && type === "video" ? refuse.videoTooSlow(onInstagram) : refuse.fileNotFetched(onInstagram);
  }
}

function fileName(pathname: string): string {
  const last = pathname.slice(pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

async function readUpTo(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytesMax) break;
  }
  return Buffer.concat(chunks);
}

/** The maximum size of a file of the type, in bytes. */
function fileBytesMax(type: string): number {
  return (type === "image" ? 8 : 25) * megabyte;
}

/** Whether a file may be uploaded as this type, by the MIME type that it is served with and its first bytes. */
export function isAllowedType(
  account: Pick<Account, "connection">,
  type: string,
  mime: string,
  bytes: Buffer,
): boolean {
  // Messenger accepts any file as type `file`.
  if (type === "file" && account.connection === "messenger") return true;
  if (mime === "image/gif" && account.connection === "instagram_login") return false;
  return isFormat(mime, type, bytes);
}
