import type { Millis } from "../../support/time.ts";
import { S3Error } from "./errors.ts";
import { parseForm } from "./form.ts";
import { emptyResponse, type S3Request, type S3Response, xmlResponse } from "./http.ts";
import { META } from "./metadata.ts";
import type { ObjectStore } from "./objects.ts";
import { checkPolicy } from "./post-policy.ts";
import { escapeXml } from "./xml.ts";

/** The placeholder in a key for the name of the file. */
const FILE_NAME = /\$\{filename\}/g;
const STORED_HEADERS = ["content-type", "content-encoding", "content-disposition", "cache-control"];

/** Throws an S3Error unless the signer may do it. `formKey` is the key of the object that a form stores. */
export type Authorize = (formKey?: string) => void;

export interface PostSettings {
  readonly credentials: Readonly<Record<string, string>>;
  readonly now: Millis;
  readonly authorize: Authorize;
}

/** Handles an upload from a browser's form. The object is stored if the signed policy allows it. */
export function postObject(
  store: ObjectStore,
  request: S3Request,
  { credentials, now, authorize }: PostSettings,
): S3Response {
  const { fields, file } = parseForm(request.body, request.headers["content-type"] ?? "");
  checkPolicy({ bucket: request.bucket, fields, size: file.bytes.length }, credentials, now);
  const key = fields.get("key")?.replaceAll(FILE_NAME, () => file.name);
  if (!key) throw new S3Error("InvalidArgument", 400, "Bucket POST must contain a field named 'key'.");
  authorize(key);
  const entries = [...fields];
  const object = store.put(request.bucket, key, file.bytes, {
    headers: Object.fromEntries(entries.filter(([name]) => STORED_HEADERS.includes(name))),
    meta: Object.fromEntries(
      entries.filter(([name]) => name.startsWith(META)).map(([name, value]) => [name.slice(META.length), value]),
    ),
  });
  return formResponse(request.bucket, key, object.etag, fields);
}

function formResponse(bucket: string, key: string, etag: string, fields: ReadonlyMap<string, string>): S3Response {
  const redirect = fields.get("success_action_redirect");
  if (redirect && URL.canParse(redirect)) {
    const location = new URL(redirect);
    for (const [name, value] of Object.entries({ bucket, key, etag })) location.searchParams.set(name, value);
    return emptyResponse(303, { etag, location: location.href });
  }
  const headers = { etag, location: `/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}` };
  if (fields.get("success_action_status") === "201") {
    const parts = { Location: headers.location, Bucket: bucket, Key: key, ETag: etag };
    const elements = Object.entries(parts).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
    return xmlResponse(201, `<PostResponse>${elements.join("")}</PostResponse>`, headers);
  }
  return emptyResponse(fields.get("success_action_status") === "200" ? 200 : 204, headers);
}
