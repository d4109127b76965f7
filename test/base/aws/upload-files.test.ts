import { CreateBucketCommand, HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  openUploadFiles,
  openUploadGrants,
  openUploadLinks,
  type UploadFiles,
  type UploadForm,
} from "#base/aws/upload-files.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { DAY, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { startEmulatorFixture } from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import { openedOnce } from "../../support/opened.ts";

const BUCKET = "uploads";
const TYPE = "image/png";

let files: UploadFiles;
const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  setRuntimeOverrides({ now: fixture.now });
  await fixture.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  files = openUploadFiles(BUCKET, fixture.s3);
});
afterAll(async () => {
  setRuntimeOverrides({});
});

let uploads = 0;

/** An upload that was granted, and what its client can do. */
async function newUpload() {
  uploads += 1;
  const [key, copyKey] = [`u/2026-11-22T20/upl_${uploads}`, `h/2026-11-22T20/r${uploads}/upl_${uploads}.png`];
  const expiresAt = fixture.now() + 15 * MINUTE;
  const form = await openUploadGrants(BUCKET, fixture.s3).grant({ key, contentType: TYPE, maxSize: 10_000, expiresAt });
  return { key, copyKey, post: (text: string) => post(form, text) };
}

async function post({ url, fields }: UploadForm, text: string): Promise<number> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", new Blob([text]), "photo.png");
  return (await fetch(url, { method: "POST", body })).status;
}

async function headOf(key: string) {
  const object = await files.head(key);
  if (object === null) throw new Error(`${key} does not exist.`);
  return object;
}

const readUrl = (key: string, lifetime: Millis = 5 * MINUTE) =>
  openUploadLinks(BUCKET, fixture.s3).readUrl(key, lifetime);
const readText = async (key: string) => (await fetch(await readUrl(key))).text();
const toText = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();

it("a posted file that is not there yet has no size, no bytes and no copy", async () => {
  const { key, copyKey } = await newUpload();
  expect(await files.head(key)).toBeNull();
  expect(await files.firstBytes({ key, etag: '"any"' }, 10)).toBeNull();
  expect(await files.copy({ key, etag: '"any"' }, { key: copyKey, contentType: TYPE })).toBe(false);
  expect(await files.head(copyKey)).toBeNull();
});

it("a posted file has its size, its first bytes, and a copy with another type and none of its metadata", async () => {
  const { key, copyKey, post } = await newUpload();
  expect(await post("0123456789")).toBe(204);
  const { size, etag } = await headOf(key);
  expect(size).toBe(10);
  expect(toText(await files.firstBytes({ key, etag }, 4))).toBe("0123");
  expect(toText(await files.firstBytes({ key, etag }, 4_100))).toBe("0123456789");
  expect(await files.copy({ key, etag }, { key: copyKey, contentType: "image/jpeg" })).toBe(true);
  const copy = await fixture.s3.send(new HeadObjectCommand({ Bucket: BUCKET, Key: copyKey }));
  expect(copy).toMatchObject({ ContentType: "image/jpeg", ContentLength: 10, Metadata: {} });
});

it("a posted file keeps no metadata of its writer in the copy", async () => {
  const { key, copyKey } = await newUpload();
  const writer = {
    ContentDisposition: "inline",
    CacheControl: "public",
    Metadata: { k: "v" },
    ContentType: "text/html",
  };
  await fixture.s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: "x", ...writer }));
  await files.copy({ key, etag: (await headOf(key)).etag }, { key: copyKey, contentType: TYPE });
  const copy = await fixture.s3.send(new HeadObjectCommand({ Bucket: BUCKET, Key: copyKey }));
  expect(copy).toMatchObject({ ContentType: TYPE, Metadata: {} });
  expect([copy.ContentDisposition, copy.CacheControl]).toEqual([undefined, undefined]);
});

it("a posted file that is replaced after its size was read has no first bytes", async () => {
  const { key, post } = await newUpload();
  await post("good bytes");
  const { etag } = await headOf(key);
  await post("evil bytes");
  expect(await files.firstBytes({ key, etag }, 4_100)).toBeNull();
});

it("a posted file that is replaced after its bytes were read has no copy", async () => {
  const { key, copyKey, post } = await newUpload();
  await post("good bytes");
  const { etag } = await headOf(key);
  expect(toText(await files.firstBytes({ key, etag }, 4_100))).toBe("good bytes");
  await post("evil bytes");
  expect(await files.copy({ key, etag }, { key: copyKey, contentType: TYPE })).toBe(false);
  expect(await files.head(copyKey)).toBeNull();
});

it.each(["u/ again", "after the deletion"])(
  "a posted file that is replaced after the copy (%s) leaves the copy as it is",
  async (when) => {
    const { key, copyKey, post } = await newUpload();
    await post("good bytes");
    await files.copy({ key, etag: (await headOf(key)).etag }, { key: copyKey, contentType: TYPE });
    if (when === "after the deletion") await files.remove(key);
    expect(await post("evil bytes")).toBe(204);
    expect(await readText(copyKey)).toBe("good bytes");
  },
);

it("a posted file that vanishes between two calls has neither bytes nor a copy", async () => {
  const { key, copyKey, post } = await newUpload();
  await post("good bytes");
  const { etag } = await headOf(key);
  await files.remove(key);
  expect(await files.firstBytes({ key, etag }, 10)).toBeNull();
  expect(await files.copy({ key, etag }, { key: copyKey, contentType: TYPE })).toBe(false);
});

it("a posted file is the only key that its grant can write, also after the copy", async () => {
  const { key, copyKey, post } = await newUpload();
  await post("good bytes");
  await files.copy({ key, etag: (await headOf(key)).etag }, { key: copyKey, contentType: TYPE });
  await files.remove(key);
  await post("later");
  expect((await files.list("u/", null)).keys).toContain(key);
  await files.removeAll([key, copyKey]);
  expect([await files.head(key), await files.head(copyKey)]).toEqual([null, null]);
});

it("any other failure is thrown and not taken for a missing file", async () => {
  const stranger = new S3Client({
    endpoint: fixture.emulators.url,
    region: "us-east-1",
    credentials: { accessKeyId: "stranger", secretAccessKey: "s" },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  const refused = openUploadFiles(BUCKET, stranger);
  const version = { key: "u/x", etag: '"e"' };
  const status = { $metadata: { httpStatusCode: 403 } };
  await expect(refused.head("u/x")).rejects.toMatchObject(status);
  await expect(refused.firstBytes(version, 10)).rejects.toMatchObject(status);
  await expect(refused.copy(version, { key: "h/x", contentType: TYPE })).rejects.toMatchObject(status);
  stranger.destroy();
});

it("a link gives the file to anyone for its lifetime by the stack's clock, as a download", async () => {
  const { key, post } = await newUpload();
  await post("good bytes");
  for (const offset of [0, 9 * DAY]) {
    fixture.advance(offset);
    const url = await readUrl(key);
    // The URL has whole seconds, so it ends up to one second early.
    fixture.advance(5 * MINUTE - SECOND);
    const response = await fetch(url);
    expect([response.status, await response.text()]).toEqual([200, "good bytes"]);
    expect(response.headers.get("content-type")).toBe(TYPE);
    expect(response.headers.get("content-disposition")).toBe("attachment");
    fixture.advance(SECOND);
    expect((await fetch(url)).status).toBe(403);
  }
});

it("a link of another key is not valid", async () => {
  const { key, post } = await newUpload();
  await post("good bytes");
  const url = await readUrl("u/x");
  expect((await fetch(url.replace("/u/x", `/${key}`))).status).toBe(403);
});

it("a link is signed with credentials that outlive it", async () => {
  const expiries = [fixture.now() + 5 * MINUTE - 1, fixture.now() + DAY];
  let calls = 0;
  const client = new S3Client({
    region: "us-east-1",
    credentials: async () => {
      calls += 1;
      const expiration = new Date(expiries[calls - 1] ?? 0);
      return { accessKeyId: `key${calls}`, secretAccessKey: "s", sessionToken: `t${calls}`, expiration };
    },
  });
  const url = new URL(await openUploadLinks(BUCKET, client).readUrl("h/x", 5 * MINUTE));
  expect(url.searchParams.get("X-Amz-Security-Token")).toBe("t2");
  expect(url.searchParams.get("X-Amz-Expires")).toBe("300");
  expect(url.host).toBe(`${BUCKET}.s3.us-east-1.amazonaws.com`);
});
