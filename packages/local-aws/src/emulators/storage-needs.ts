import { type AccessNeed, toContext } from "../iam/needs/need.ts";
import type { S3Request } from "./s3/http.ts";
import { texts } from "./s3/xml.ts";

/** The actions of the settings of a bucket whose names are not those of the query. */
const SETTING_ACTIONS: Readonly<Record<string, string>> = {
  cors: "BucketCORS",
  encryption: "EncryptionConfiguration",
  lifecycle: "LifecycleConfiguration",
  notification: "BucketNotification",
  ownershipControls: "BucketOwnershipControls",
  policy: "BucketPolicy",
  publicAccessBlock: "BucketPublicAccessBlock",
  tagging: "BucketTagging",
  versioning: "BucketVersioning",
};

/** What a request to S3 needs. A copy also reads its source. `formKey` is the key of the object that a form stores. */
export function storageNeeds(request: S3Request, formKey?: string): AccessNeed[] {
  const { method, bucket, key, query, headers, body } = request;
  if (bucket === "") return [need("ListAllMyBuckets", "*")];
  if (key !== "") return objectNeeds(method, bucket, key, headers["x-amz-copy-source"]);
  if (formKey !== undefined) return [need("PutObject", `${bucket}/${formKey}`)];
  if (method === "POST" && query.has("delete"))
    return texts(body.toString(), "Key").map((each) => need("DeleteObject", `${bucket}/${each}`));
  const setting = [...query.keys()].find((name) => Object.hasOwn(SETTING_ACTIONS, name));
  if (setting !== undefined) return [need(`${method === "GET" ? "Get" : "Put"}${SETTING_ACTIONS[setting]}`, bucket)];
  if (method === "PUT") return [need("CreateBucket", bucket)];
  if (method === "DELETE") return [need("DeleteBucket", bucket)];
  return [listNeed(bucket, query)];
}

/** What a caller needs to learn that an object does not exist: without it, S3 answers 403 in place of 404. */
export function listNeed(bucket: string, query: URLSearchParams = new URLSearchParams()): AccessNeed {
  const parameters = ["prefix", "delimiter", "max-keys"].map((name) => [`s3:${name}`, query.get(name)] as const);
  return { ...need("ListBucket", bucket), context: toContext(Object.fromEntries(parameters)) };
}

const OBJECT_ACTIONS: Readonly<Record<string, string>> = {
  DELETE: "DeleteObject",
  GET: "GetObject",
  HEAD: "GetObject",
  PUT: "PutObject",
};

function objectNeeds(method: string, bucket: string, key: string, source: string | undefined): AccessNeed[] {
  const ownNeed = need(OBJECT_ACTIONS[method] ?? `${method}Object`, `${bucket}/${key}`);
  if (method !== "PUT" || source === undefined) return [ownNeed];
  return [need("GetObject", sourcePath(source)), ownNeed];
}

/** The bucket of the object that a request reads, which is the source of a copy. Null: it reads none. */
export function readBucket({ method, bucket, key, headers }: S3Request): string | null {
  if (key === "") return null;
  if (method === "GET" || method === "HEAD") return bucket;
  const source = headers["x-amz-copy-source"];
  return method === "PUT" && source !== undefined ? (sourcePath(source).split("/")[0] ?? null) : null;
}

/** `<bucket>/<key>` */
function sourcePath(source: string): string {
  const [path = ""] = source.replace(/^\//, "").split("?");
  return decode(path);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function need(action: string, resource: string): AccessNeed {
  return { action: `s3:${action}`, resource: resource === "*" ? "*" : `arn:aws:s3:::${resource}`, context: {} };
}
