import {
  CreateBucketCommand,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { beforeAll, expect, test } from "vitest";
import { DAY, MINUTE, SECOND } from "#local-aws/support/time.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

const Bucket = "files";
const Key = "dir/photo.png";
const LIFETIME = 300;
const bytes = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
const fixture = openedOnce(() => startEmulatorFixture(undefined, Date.parse("2026-03-01T10:00:00.000Z")));
beforeAll(async () => {
  await fixture.s3.send(new CreateBucketCommand({ Bucket }));
  await put(Key);
});

const put = (key: string) =>
  fixture.s3.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes, ContentType: "image/png" }));

const sign = (input: Partial<GetObjectCommandInput> = {}, settings = {}) =>
  getSignedUrl(fixture.s3, new GetObjectCommand({ Bucket, Key, ...input }), {
    signingDate: new Date(fixture.now()),
    expiresIn: LIFETIME,
    ...settings,
  });

async function read(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, code: /<Code>(.*?)<\/Code>/.exec(body.toString())?.[1] ?? null, body, response };
}

/** The URL with one parameter set, or removed if the value is null. */
function withParameter(url: string, name: string, value: string | null): string {
  const changed = new URL(url);
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed.href;
}

test("a presigned URL returns the object with its type, without credentials", async () => {
  const { status, body, response } = await read(await sign());
  expect([status, body, response.headers.get("content-type")]).toEqual([200, bytes, "image/png"]);
});

test("a presigned URL returns the headers that were signed with it", async () => {
  const url = await sign({ ResponseContentDisposition: "attachment", ResponseContentType: "text/plain" });
  const { headers } = (await read(url)).response;
  expect([headers.get("content-disposition"), headers.get("content-type")]).toEqual(["attachment", "text/plain"]);
});

test("a presigned URL returns a range, and 412 for another version than If-Match names", async () => {
  const url = await sign();
  const part = await read(url, { headers: { range: "bytes=10-19" } });
  expect([part.status, part.body]).toEqual([206, bytes.subarray(10, 20)]);
  const other = await read(url, { headers: { "if-match": '"other"' } });
  expect([other.status, other.code]).toEqual([412, "PreconditionFailed"]);
});

test("a presigned URL of HEAD returns the headers only", async () => {
  const signingDate = new Date(fixture.now());
  const url = await getSignedUrl(fixture.s3, new HeadObjectCommand({ Bucket, Key }), { signingDate });
  const { status, body, response } = await read(url, { method: "HEAD" });
  expect([status, body.length, response.headers.get("content-length")]).toEqual([200, 0, "100"]);
});

test.each(["plain", "a b+c", "é/ü", "(x)!*'", "a%2Fb", "?a=b&c", "dir//x", "~._-"])(
  "a presigned URL is valid for the key %j, and for no other",
  async (key) => {
    await put(key);
    const url = await sign({ Key: key });
    expect((await read(url)).status).toBe(200);
    expect((await read(url.replace("?", "x?"))).code).toBe("SignatureDoesNotMatch");
  },
);

test.each([
  ["another key", (url: string) => url.replace("photo", "other")],
  ["another bucket", (url: string) => url.replace(Bucket, "filed")],
  ["another parameter", (url: string) => `${url}&response-content-type=text%2Fhtml`],
  ["another lifetime", (url: string) => withParameter(url, "X-Amz-Expires", "301")],
  ["another time", (url: string) => withParameter(url, "X-Amz-Date", "20260301T100001Z")],
  ["another signature", (url: string) => withParameter(url, "X-Amz-Signature", "0".repeat(64))],
  ["another spelling of the host", (url: string) => url.replace("127.0.0.1", "localhost")],
  ["other signed headers", (url: string) => withParameter(url, "X-Amz-SignedHeaders", "host;range")],
])("a presigned URL with %s does not match its signature", async (_, change) => {
  const { status, code } = await read(change(await sign()));
  expect([status, code]).toEqual([403, "SignatureDoesNotMatch"]);
});

test.each(["HEAD", "PUT", "DELETE", "POST"])("a presigned URL does not allow %s", async (method) => {
  const { status } = await read(await sign(), { method });
  expect(status).toBe(403);
  expect((await read(await sign())).status).toBe(200);
});

test.each([
  ...["Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature"].map(
    (name) => [`no ${name}`, (url: string) => withParameter(url, `X-Amz-${name}`, null)] as const,
  ),
  ["two lifetimes", (url: string) => `${url}&X-Amz-Expires=300`] as const,
  ["another algorithm", (url: string) => withParameter(url, "X-Amz-Algorithm", "AWS4-ECDSA-P256-SHA256")] as const,
  ["a lifetime over a week", (url: string) => withParameter(url, "X-Amz-Expires", "604801")] as const,
  ["a negative lifetime", (url: string) => withParameter(url, "X-Amz-Expires", "-1")] as const,
  ["a malformed time", (url: string) => withParameter(url, "X-Amz-Date", "2026-03-01T10:00:00Z")] as const,
  ["another day in its scope", (url: string) => url.replace("local%2F20260301", "local%2F20260302")] as const,
  ["another region", (url: string) => url.replace("us-east-1", "eu-west-1")] as const,
])("a presigned URL with %s is malformed", async (_, change) => {
  const { status, code } = await read(change(await sign()));
  expect([status, code]).toEqual([400, "AuthorizationQueryParametersError"]);
});

test("a presigned URL of an unknown access key is refused", async () => {
  const { status, code } = await read((await sign()).replace("local%2F", "stranger%2F"));
  expect([status, code]).toEqual([403, "InvalidAccessKeyId"]);
});

test("a presigned URL with a session token, which no local credential has, is refused", async () => {
  const { status, code } = await read(withParameter(await sign(), "X-Amz-Security-Token", "t"));
  expect([status, code]).toEqual([400, "InvalidToken"]);
});

test("a presigned URL with an Authorization header as well is refused", async () => {
  const { status, code } = await read(await sign(), { headers: { authorization: "AWS4-HMAC-SHA256" } });
  expect([status, code]).toEqual([400, "InvalidArgument"]);
});

test("a presigned URL with a header of S3 that is not signed is refused", async () => {
  const { status, code } = await read(await sign(), { headers: { "x-amz-copy-source": `${Bucket}/other` } });
  expect([status, code]).toEqual([403, "AccessDenied"]);
});

test("a presigned URL without `host` among its signed headers is refused", async () => {
  const { status, code } = await read(withParameter(await sign(), "X-Amz-SignedHeaders", "range"));
  expect([status, code]).toEqual([403, "AccessDenied"]);
});

test("a presigned URL expires by the stack's clock and not by the machine's", async () => {
  for (const offset of [0, -400 * DAY, 30 * DAY]) {
    fixture.advance(offset);
    const url = await sign();
    fixture.advance(LIFETIME * SECOND - 1);
    expect((await read(url)).status).toBe(200);
    fixture.advance(1);
    const { status, code, body } = await read(url);
    expect([status, code, body.toString()]).toEqual([403, "AccessDenied", expect.stringContaining("has expired")]);
  }
});

test("a presigned URL of a clock that is more than 15 minutes ahead is not valid yet", async () => {
  const signedAhead = (ms: number) => sign({}, { signingDate: new Date(fixture.now() + ms) });
  expect((await read(await signedAhead(15 * MINUTE))).status).toBe(200);
  const { status, body } = await read(await signedAhead(15 * MINUTE + SECOND));
  expect([status, body.toString()]).toEqual([403, expect.stringContaining("not valid yet")]);
});

test("a presigned URL of a bucket is not emulated", async () => {
  const query = new URL(await sign()).search;
  const { status, code } = await read(`${fixture.emulators.url}/${Bucket}${query}`);
  expect([status, code]).toEqual([501, "NotImplemented"]);
});

test("a presigned URL of a missing object is 404, as for its signer", async () => {
  expect(await read(await sign({ Key: "gone" }))).toMatchObject({ status: 404, code: "NoSuchKey" });
});
