import { accessDenied, notEmulated, S3Error } from "./errors.ts";
import { emptyResponse, type S3Request, type S3Response, xmlResponse } from "./http.ts";
import { listObjects } from "./listing.ts";
import type { ObjectStore } from "./objects.ts";
import { escapeXml, texts } from "./xml.ts";

const DELETE_MAX = 1_000;

/** Settings that the emulator stores and returns, without an effect but for `cors`, with the answer for a bucket without one. */
const settings: Readonly<Record<string, S3Error | string>> = {
  cors: missing("NoSuchCORSConfiguration", "The CORS configuration does not exist"),
  lifecycle: missing("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist"),
  publicAccessBlock: missing(
    "NoSuchPublicAccessBlockConfiguration",
    "The public access block configuration was not found",
  ),
  policy: missing("NoSuchBucketPolicy", "The bucket policy does not exist"),
  ownershipControls: missing("OwnershipControlsNotFoundError", "The bucket ownership controls were not found"),
  tagging: missing("NoSuchTagSet", "The TagSet does not exist"),
  versioning: "<VersioningConfiguration/>",
  notification: "<NotificationConfiguration/>",
  // S3 encrypts every object.
  encryption:
    "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>",
};
/** What S3 gives a new bucket. */
const ofNewBucket = {
  publicAccessBlock:
    "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls><BlockPublicPolicy>true</BlockPublicPolicy><RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>",
  ownershipControls:
    "<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>",
};

export interface BucketOwner {
  readonly region: string;
  readonly accountId: string;
}

/** Handles a request for a bucket or for the list of buckets. */
export function handleBucketRequest(store: ObjectStore, request: S3Request, owner: BucketOwner): S3Response {
  const { method, bucket, query } = request;
  if (bucket === "") return listBuckets(store);
  if ((request.headers["x-amz-expected-bucket-owner"] ?? owner.accountId) !== owner.accountId) throw accessDenied();
  if (method === "PUT") return putBucket(store, request);
  if (!store.has(bucket)) throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
  if (method === "HEAD") return emptyResponse(200, { "x-amz-bucket-region": owner.region });
  const setting = settingOf(query);
  if (method === "GET" && setting !== null) return getSetting(store, bucket, setting);
  if (method === "DELETE" && setting !== null) {
    store.saveSetting(bucket, setting, null);
    return emptyResponse(204);
  }
  if (method === "GET" && query.get("list-type") === "2") return xmlResponse(200, listObjects(store, bucket, query));
  if (method === "POST" && query.has("delete")) return deleteObjects(store, bucket, request.body.toString());
  if (method === "DELETE" && ![...query.keys()].some((name) => name !== "x-id")) {
    store.deleteBucket(bucket);
    return emptyResponse(204);
  }
  throw notEmulated(`${method} of a bucket with ?${query}`);
}

function missing(code: string, message: string): S3Error {
  return new S3Error(code, 404, message);
}

function settingOf(query: URLSearchParams): string | null {
  return [...query.keys()].find((name) => Object.hasOwn(settings, name)) ?? null;
}

function getSetting(store: ObjectStore, bucket: string, setting: string): S3Response {
  const answer = store.setting(bucket, setting) ?? settings[setting];
  if (answer === undefined || answer instanceof S3Error) throw answer;
  if (setting !== "policy") return xmlResponse(200, answer);
  return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(answer) };
}

function listBuckets(store: ObjectStore): S3Response {
  const buckets = store.bucketNames().map((name) => `<Bucket><Name>${escapeXml(name)}</Name></Bucket>`);
  return xmlResponse(200, `<ListAllMyBucketsResult><Buckets>${buckets.join("")}</Buckets></ListAllMyBucketsResult>`);
}

function putBucket(store: ObjectStore, { bucket, query, body }: S3Request): S3Response {
  const setting = [...query.keys()].find((name) => name !== "x-id");
  if (setting === undefined) {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
      throw new S3Error(
        "InvalidBucketName",
        400,
        "A bucket's name is 3 to 63 lower-case letters, digits, dots or dashes.",
      );
    }
    if (store.has(bucket))
      throw new S3Error("BucketAlreadyOwnedByYou", 409, "The bucket already exists and you own it.");
    store.saveBucket(bucket);
    for (const [name, value] of Object.entries(ofNewBucket)) store.saveSetting(bucket, name, value);
    return emptyResponse(200, { location: `/${bucket}` });
  }
  if (!store.has(bucket)) throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
  if (!Object.hasOwn(settings, setting)) throw notEmulated(`PUT of a bucket with ?${setting}`);
  // What the SDK sends is a whole document, whose declaration the answer has too.
  store.saveSetting(bucket, setting, body.toString().replace(/^<\?xml[^>]{0,80}\?>\s*/, ""));
  return emptyResponse(200);
}

function deleteObjects(store: ObjectStore, bucket: string, xml: string): S3Response {
  const keys = texts(xml, "Key");
  if (keys.length === 0 || keys.length > DELETE_MAX) {
    throw new S3Error("MalformedXML", 400, `Name 1 to ${DELETE_MAX} objects to delete.`);
  }
  store.delete(bucket, keys);
  const deletedEntries = texts(xml, "Quiet").includes("true")
    ? []
    : keys.map((key) => `<Deleted><Key>${escapeXml(key)}</Key></Deleted>`);
  return xmlResponse(200, `<DeleteResult>${deletedEntries.join("")}</DeleteResult>`);
}
