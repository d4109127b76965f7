import { parseCors } from "./cors.ts";
import { notEmulated, S3Error } from "./errors.ts";
import { emptyResponse, type S3Request, type S3Response, xmlResponse } from "./http.ts";
import { listObjects } from "./listing.ts";
import type { ObjectStore } from "./objects.ts";
import { escapeXml, texts } from "./xml.ts";

const DELETE_MAX = 1_000;

/** Bucket settings that the emulator accepts and ignores. */
const acceptedSettings = [
  "lifecycle",
  "encryption",
  "publicAccessBlock",
  "policy",
  "versioning",
  "ownershipControls",
  "tagging",
  "notification",
];

/** Handles a request for a bucket or for the list of buckets. */
export function handleBucketRequest(store: ObjectStore, request: S3Request): S3Response {
  const { method, bucket, query } = request;
  if (bucket === "") return listBuckets(store);
  if (method === "PUT") return putBucket(store, request);
  if (!store.has(bucket)) throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
  if (method === "HEAD") return emptyResponse(200);
  if (method === "GET" && query.get("list-type") === "2") return xmlResponse(200, listObjects(store, bucket, query));
  if (method === "POST" && query.has("delete")) return deleteObjects(store, bucket, request.body.toString());
  if (method === "DELETE" && ![...query.keys()].some((name) => name !== "x-id")) {
    store.deleteBucket(bucket);
    return emptyResponse(204);
  }
  throw notEmulated(`${method} of a bucket with ?${query}`);
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
    store.saveBucket(bucket, []);
    return emptyResponse(200, { location: `/${bucket}` });
  }
  if (!store.has(bucket)) throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
  if (setting === "cors") store.saveBucket(bucket, parseCors(body.toString()));
  else if (!acceptedSettings.includes(setting)) throw notEmulated(`PUT of a bucket with ?${setting}`);
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
