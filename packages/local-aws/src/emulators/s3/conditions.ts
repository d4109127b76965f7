import { S3Error } from "./errors.ts";
import type { S3Request } from "./http.ts";
import type { StoredObject } from "./objects.ts";

type Headers = S3Request["headers"];

/** Write conditions: `If-None-Match: *` requires a new key, `If-Match` an unchanged object. */
export function checkWrite(existing: StoredObject | undefined, headers: Headers): void {
  if (headers["if-none-match"] === "*" && existing) throw preconditionFailed();
  const match = headers["if-match"];
  if (match !== undefined && !(existing && matchesEtag(match, existing))) throw preconditionFailed();
}

/** The conditions of a copy on the object that it copies. */
export function checkCopySource(source: StoredObject, headers: Headers): void {
  const match = headers["x-amz-copy-source-if-match"];
  if (match !== undefined && !matchesEtag(match, source)) throw preconditionFailed();
  const noneMatch = headers["x-amz-copy-source-if-none-match"];
  if (noneMatch !== undefined && matchesEtag(noneMatch, source)) throw preconditionFailed();
}

/** Throws if the object is not the one that `If-Match` names. @returns whether `If-None-Match` names it: 304 */
export function checkRead(object: StoredObject, headers: Headers): boolean {
  if (headers["if-match"] !== undefined && !matchesEtag(headers["if-match"], object)) throw preconditionFailed();
  return headers["if-none-match"] !== undefined && matchesEtag(headers["if-none-match"], object);
}

function matchesEtag(condition: string, object: StoredObject): boolean {
  const bare = (etag: string): string => etag.trim().replace(/^"|"$/g, "");
  return condition.split(",").some((one) => one.trim() === "*" || bare(one) === bare(object.etag));
}

function preconditionFailed(): S3Error {
  return new S3Error("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold.");
}
