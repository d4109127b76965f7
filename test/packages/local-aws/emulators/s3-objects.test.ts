import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketCorsCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeletePublicAccessBlockCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketEncryptionCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutPublicAccessBlockCommand,
} from "@aws-sdk/client-s3";
import { beforeAll, expect, test } from "vitest";
import { MINUTE } from "#local-aws/support/time.ts";
import { signedFetch } from "../../../support/access/signed-fetch.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  await fixture.s3.send(new CreateBucketCommand({ Bucket }));
});

const Bucket = "files";
const bytes = Buffer.from(Array.from({ length: 500 }, (_, index) => index % 256));

const put = (Key: string, more = {}) => fixture.s3.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ...more }));
const head = (Key: string) => fixture.s3.send(new HeadObjectCommand({ Bucket, Key }));
async function get(Key: string, more = {}) {
  const { Body, ...rest } = await fixture.s3.send(new GetObjectCommand({ Bucket, Key, ...more }));
  return { ...rest, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
}

test("an object is returned byte for byte with its metadata", async () => {
  const labels = {
    ContentType: "image/png",
    ContentEncoding: "gzip",
    CacheControl: "no-store",
    ContentDisposition: "attachment",
    Metadata: { k: "v" },
  };
  const { ETag } = await put("a/b.bin", labels);
  const object = await get("a/b.bin");
  expect(object.bytes).toEqual(bytes);
  expect(object).toMatchObject({ ...labels, ETag, ContentLength: 500 });
  expect(object.LastModified?.getTime()).toBe(Math.floor(fixture.now() / 1000) * 1000);
  expect(await head("a/b.bin")).toMatchObject({ ...labels, ETag, ContentLength: 500 });
});

test.each(["a key with spaces", "q?&=#%+.txt", "ünï/çødé", "dots/../up", "double//slash", "<&>'\""])(
  "an object may have the key %s",
  async (Key) => {
    await put(Key);
    expect((await get(Key)).bytes).toEqual(bytes);
    const { Contents } = await fixture.s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key }));
    expect(Contents?.map((one) => one.Key)).toEqual([Key]);
    await fixture.s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }));
    await expect(head(Key)).rejects.toMatchObject({ name: "NotFound" });
  },
);

test("an object from a stream is stored without chunk headers", async () => {
  const Body = Readable.from([bytes, bytes]);
  await put("stream", { Body, ContentLength: 1000, ContentEncoding: "gzip" });
  const object = await get("stream");
  expect(object.bytes).toEqual(Buffer.concat([bytes, bytes]));
  expect(object.ContentEncoding).toBe("gzip");
});

test("an object is replaced by a second put", async () => {
  await put("twice");
  await put("twice", { Body: "second" });
  expect((await get("twice")).bytes.toString()).toBe("second");
});

test.each([
  ["bytes=0-15", 0, 15],
  ["bytes=0-4095", 0, 499],
  ["bytes=490-", 490, 499],
  ["bytes=-10", 490, 499],
  ["bytes=499-499", 499, 499],
])("an object is returned in part for %s", async (Range, from, to) => {
  await put("ranged");
  const part = await get("ranged", { Range });
  expect(part.bytes).toEqual(bytes.subarray(from, to + 1));
  expect([part.ContentRange, part.$metadata.httpStatusCode]).toEqual([`bytes ${from}-${to}/500`, 206]);
});

test("an object rejects a range beyond its end", async () => {
  await put("ranged");
  await expect(get("ranged", { Range: "bytes=500-" })).rejects.toMatchObject({ name: "InvalidRange" });
});

test("an object is returned only if If-Match matches", async () => {
  const { ETag } = await put("matched");
  expect((await get("matched", { IfMatch: ETag })).bytes).toEqual(bytes);
  const other = get("matched", { IfMatch: '"other"' });
  await expect(other).rejects.toMatchObject({ name: "PreconditionFailed", $metadata: { httpStatusCode: 412 } });
});

test("an object is written only if its write condition holds", async () => {
  const { ETag } = await put("guarded", { IfNoneMatch: "*" });
  await expect(put("guarded", { IfNoneMatch: "*" })).rejects.toMatchObject({ name: "PreconditionFailed" });
  await put("guarded", { IfMatch: ETag, Body: "next" });
  await expect(put("guarded", { IfMatch: ETag })).rejects.toMatchObject({ name: "PreconditionFailed" });
});

test("an object that is missing is not found, and deleting it succeeds", async () => {
  await expect(head("nope")).rejects.toMatchObject({ name: "NotFound" });
  await expect(get("nope")).rejects.toMatchObject({ name: "NoSuchKey" });
  await put("deleted");
  for (let time = 0; time < 2; time++) await fixture.s3.send(new DeleteObjectCommand({ Bucket, Key: "deleted" }));
  await expect(head("deleted")).rejects.toMatchObject({ name: "NotFound" });
});

test("a bucket lists its objects by prefix, in pages", async () => {
  const keys = ["list/a", "list/b", "list/c"];
  for (const key of keys) await put(key);
  const page = (more = {}) =>
    fixture.s3.send(new ListObjectsV2Command({ Bucket, Prefix: "list/", MaxKeys: 2, ...more }));
  const first = await page();
  expect([first.Contents?.map((one) => one.Key), first.IsTruncated]).toEqual([keys.slice(0, 2), true]);
  const second = await page({ ContinuationToken: first.NextContinuationToken });
  expect([second.Contents?.map((one) => one.Key), second.IsTruncated]).toEqual([keys.slice(2), false]);
  expect(second.Contents?.[0]).toMatchObject({ Size: 500, LastModified: new Date(fixture.now()) });
});

test("a bucket lists common prefixes up to a delimiter", async () => {
  for (const key of ["tree/x/1", "tree/x/2", "tree/y/1", "tree/z"]) await put(key);
  const listed = await fixture.s3.send(new ListObjectsV2Command({ Bucket, Prefix: "tree/", Delimiter: "/" }));
  expect(listed.CommonPrefixes?.map((one) => one.Prefix)).toEqual(["tree/x/", "tree/y/"]);
  expect(listed.Contents?.map((one) => one.Key)).toEqual(["tree/z"]);
});

test("a bucket is created once, is deleted only if empty, and is not found otherwise", async () => {
  const other = { Bucket: "passing" };
  await fixture.s3.send(new CreateBucketCommand(other));
  await fixture.s3.send(new HeadBucketCommand(other));
  const again = fixture.s3.send(new CreateBucketCommand(other));
  await expect(again).rejects.toMatchObject({ name: "BucketAlreadyOwnedByYou" });
  await fixture.s3.send(new PutObjectCommand({ ...other, Key: "k", Body: "x" }));
  await expect(fixture.s3.send(new DeleteBucketCommand(other))).rejects.toMatchObject({ name: "BucketNotEmpty" });
  await fixture.s3.send(new DeleteObjectCommand({ ...other, Key: "k" }));
  await fixture.s3.send(new DeleteBucketCommand(other));
  await expect(fixture.s3.send(new HeadBucketCommand(other))).rejects.toMatchObject({ name: "NotFound" });
  const lost = fixture.s3.send(new PutObjectCommand({ ...other, Key: "k", Body: "x" }));
  await expect(lost).rejects.toMatchObject({ name: "NoSuchBucket" });
  const { Buckets } = await fixture.s3.send(new ListBucketsCommand({}));
  expect(Buckets?.map((one) => one.Name)).toEqual([Bucket]);
});

test("a new bucket has the settings that S3 gives it, and names those that it lacks", async () => {
  await fixture.s3.send(new CreateBucketCommand({ Bucket: "new-bucket" }));
  const input = { Bucket: "new-bucket" };
  const access = await fixture.s3.send(new GetPublicAccessBlockCommand(input));
  expect(Object.values(access.PublicAccessBlockConfiguration ?? {})).toEqual([true, true, true, true]);
  const { OwnershipControls } = await fixture.s3.send(new GetBucketOwnershipControlsCommand(input));
  expect(OwnershipControls?.Rules).toEqual([{ ObjectOwnership: "BucketOwnerEnforced" }]);
  const encryption = await fixture.s3.send(new GetBucketEncryptionCommand(input));
  expect(JSON.stringify(encryption)).toContain("AES256");
  expect((await fixture.s3.send(new GetBucketVersioningCommand(input))).Status).toBeUndefined();
  expect((await fixture.s3.send(new HeadBucketCommand(input))).BucketRegion).toBe("us-east-1");
  for (const [command, name] of [
    [new GetBucketLifecycleConfigurationCommand(input), "NoSuchLifecycleConfiguration"],
    [new GetBucketPolicyCommand(input), "NoSuchBucketPolicy"],
    [new GetBucketCorsCommand(input), "NoSuchCORSConfiguration"],
  ] as const) {
    await expect(fixture.s3.send(command as GetBucketPolicyCommand)).rejects.toMatchObject({ name });
  }
  await fixture.s3.send(new DeletePublicAccessBlockCommand(input));
  const removed = fixture.s3.send(new GetPublicAccessBlockCommand(input));
  await expect(removed).rejects.toMatchObject({ name: "NoSuchPublicAccessBlockConfiguration" });
  await fixture.s3.send(new DeleteBucketCommand(input));
});

test("a bucket belongs to the account of the emulators, and is refused to a caller who expects another owner", async () => {
  const owner = { Bucket, ExpectedBucketOwner: "000000000000" };
  await fixture.s3.send(new HeadBucketCommand(owner));
  const other = new HeadBucketCommand({ ...owner, ExpectedBucketOwner: "111122223333" });
  await expect(fixture.s3.send(other)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
});

test("the settings of a bucket are returned as they were sent, also after a restart", async () => {
  let restartable = await startEmulatorFixture();
  try {
    await restartable.s3.send(new CreateBucketCommand({ Bucket }));
    const Rules = [{ ID: "x", Status: "Enabled" as const, Filter: { Prefix: "" }, Expiration: { Days: 1 } }];
    await restartable.s3.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }),
    );
    const access = { PublicAccessBlockConfiguration: { BlockPublicAcls: true } };
    await restartable.s3.send(new PutPublicAccessBlockCommand({ Bucket, ...access }));
    const encryption = [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms" as const } }];
    const ServerSideEncryptionConfiguration = { Rules: encryption };
    await restartable.s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration }));
    const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [] });
    await restartable.s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    const CORSRules = [{ AllowedMethods: ["POST"], AllowedOrigins: ["*"] }];
    await restartable.s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
    for (let starts = 0; starts < 2; starts++) {
      const { s3 } = restartable;
      expect((await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules).toEqual(Rules);
      expect(await s3.send(new GetPublicAccessBlockCommand({ Bucket }))).toMatchObject(access);
      const stored = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
      expect(stored).toMatchObject({ ServerSideEncryptionConfiguration });
      expect((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy).toBe(Policy);
      expect((await s3.send(new GetBucketCorsCommand({ Bucket }))).CORSRules).toEqual(CORSRules);
      restartable = await restartable.restart();
    }
    await restartable.s3.send(new DeleteBucketCorsCommand({ Bucket }));
    await expect(restartable.s3.send(new GetBucketCorsCommand({ Bucket }))).rejects.toMatchObject({
      name: "NoSuchCORSConfiguration",
    });
  } finally {
    await restartable.close();
  }
});

test("a request without authorization, with an unknown access key, or with a wrong secret or body, is rejected", async () => {
  await put("private");
  const url = `${fixture.emulators.url}/${Bucket}/private`;
  expect((await fetch(url)).status).toBe(403);
  const stranger = { authorization: "AWS4-HMAC-SHA256 Credential=stranger/20250101/us-east-1/s3/aws4_request" };
  expect((await fetch(url, { headers: stranger })).status).toBe(403);
  const signed = { service: "s3", method: "PUT", body: "signed" };
  const hash = { "x-amz-content-sha256": createHash("sha256").update("other").digest("hex") };
  const wrong = await signedFetch(url, { ...signed, accessKey: { id: "local", secret: "other" } });
  expect([wrong.status, await wrong.text()]).toEqual([403, expect.stringContaining("SignatureDoesNotMatch")]);
  expect((await signedFetch(url, { ...signed, headers: hash })).status).toBe(403);
  expect((await signedFetch(url, signed)).status).toBe(200);
});

test("a request for an operation that is not emulated is rejected with its name", async () => {
  const upload = fixture.s3.send(new CreateMultipartUploadCommand({ Bucket, Key: "large" }));
  await expect(upload).rejects.toThrow("POST of an object with ?uploads is not emulated");
});

test("after a restart, objects have their last state and deleted objects are missing", async () => {
  let restartable = await startEmulatorFixture();
  try {
    const target = { Bucket: "stored-files" };
    await restartable.s3.send(new CreateBucketCommand(target));
    for (const Body of ["first", "second"]) {
      await restartable.s3.send(new PutObjectCommand({ ...target, Key: "k", Body, Metadata: { m: Body } }));
    }
    await restartable.s3.send(new PutObjectCommand({ ...target, Key: "gone", Body: "x" }));
    await restartable.s3.send(new DeleteObjectCommand({ ...target, Key: "gone" }));
    const writtenAt = restartable.now();
    restartable.advance(MINUTE);
    restartable = await restartable.restart();
    const object = await restartable.s3.send(new GetObjectCommand({ ...target, Key: "k" }));
    expect(await object.Body?.transformToString()).toBe("second");
    expect(object.Metadata).toEqual({ m: "second" });
    expect(object.LastModified?.getTime()).toBe(Math.floor(writtenAt / 1000) * 1000);
    const listed = await restartable.s3.send(new ListObjectsV2Command(target));
    expect(listed.Contents?.map((one) => one.Key)).toEqual(["k"]);
  } finally {
    await restartable.close();
  }
});
