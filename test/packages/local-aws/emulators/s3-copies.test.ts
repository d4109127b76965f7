import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

let etag: string;
const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  for (const name of [Bucket, "other"]) await fixture.s3.send(new CreateBucketCommand({ Bucket: name }));
});
beforeEach(async () => {
  const source = { Bucket, Key: "dir/source é", Body: "bytes", ContentType: "text/html", Metadata: { k: "v" } };
  etag = (await fixture.s3.send(new PutObjectCommand(source))).ETag ?? "";
  copies += 1;
});

const Bucket = "files";
const CopySource = `${Bucket}/dir/${encodeURIComponent("source é")}`;
let copies = 0;
const newKey = () => `copy-${copies}`;

const copy = (input: Partial<CopyObjectCommandInput> = {}) =>
  fixture.s3.send(new CopyObjectCommand({ Bucket, Key: newKey(), CopySource, ...input }));
const head = (Key = newKey()) => fixture.s3.send(new HeadObjectCommand({ Bucket, Key }));

test("a copy has the bytes, the ETag and the metadata of its source", async () => {
  expect((await copy()).CopyObjectResult?.ETag).toBe(etag);
  const { Body, ...object } = await fixture.s3.send(new GetObjectCommand({ Bucket, Key: newKey() }));
  expect(await Body?.transformToString()).toBe("bytes");
  expect(object).toMatchObject({ ETag: etag, ContentType: "text/html", Metadata: { k: "v" } });
});

test("a copy with REPLACE has the metadata of its request only", async () => {
  await copy({ MetadataDirective: "REPLACE", ContentType: "image/png" });
  expect(await head()).toMatchObject({ ContentType: "image/png", Metadata: {} });
  await copy({ MetadataDirective: "REPLACE" });
  expect(await head()).toMatchObject({ ContentType: "binary/octet-stream", Metadata: {} });
});

test("a copy without REPLACE ignores the content type of its request, as S3 does", async () => {
  await copy({ ContentType: "image/png" });
  expect(await head()).toMatchObject({ ContentType: "text/html" });
});

test("a copy is made if its conditions on the source hold", async () => {
  await copy({ CopySourceIfMatch: etag, CopySourceIfNoneMatch: '"other"' });
  expect(await head()).toMatchObject({ ETag: etag });
});

test.each<[string, () => Partial<CopyObjectCommandInput>, number, string]>([
  ["of another version than If-Match names", () => ({ CopySourceIfMatch: '"other"' }), 412, "PreconditionFailed"],
  ["of the version that If-None-Match names", () => ({ CopySourceIfNoneMatch: etag }), 412, "PreconditionFailed"],
  ["of a key that does not exist", () => ({ CopySource: `${Bucket}/gone` }), 404, "NoSuchKey"],
  [
    "of a missing key with If-Match",
    () => ({ CopySource: `${Bucket}/gone`, CopySourceIfMatch: etag }),
    404,
    "NoSuchKey",
  ],
  ["of a bucket that does not exist", () => ({ CopySource: "gone/key" }), 404, "NoSuchBucket"],
  ["of no key", () => ({ CopySource: Bucket }), 400, "InvalidArgument"],
  ["to a bucket that does not exist", () => ({ Bucket: "gone" }), 404, "NoSuchBucket"],
  [
    "to a key that exists, with If-None-Match",
    () => ({ Key: "dir/source é", MetadataDirective: "REPLACE", IfNoneMatch: "*" }),
    412,
    "PreconditionFailed",
  ],
  ["to itself", () => ({ Key: "dir/source é" }), 400, "InvalidRequest"],
  ["with an unknown directive", () => ({ MetadataDirective: "MERGE" as "COPY" }), 400, "InvalidArgument"],
  ["of a version id", () => ({ CopySource: `${CopySource}?versionId=1` }), 501, "NotImplemented"],
  ["with a condition on time", () => ({ CopySourceIfModifiedSince: new Date(0) }), 501, "NotImplemented"],
  ["with tags", () => ({ TaggingDirective: "REPLACE" as const, Tagging: "a=b" }), 501, "NotImplemented"],
  ["with an ACL", () => ({ ACL: "public-read" as const }), 501, "NotImplemented"],
])("%s is refused, and nothing is written", async (_, input, status, name) => {
  const sourceBefore = await head("dir/source é");
  await expect(copy(input())).rejects.toMatchObject({ name, $metadata: { httpStatusCode: status } });
  await expect(head()).rejects.toMatchObject({ name: "NotFound" });
  expect((await head("dir/source é")).LastModified).toEqual(sourceBefore.LastModified);
});
