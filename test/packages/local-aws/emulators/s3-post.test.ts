import { CreateBucketCommand, HeadObjectCommand, PutBucketCorsCommand } from "@aws-sdk/client-s3";
import { createPresignedPost, type PresignedPost, type PresignedPostOptions } from "@aws-sdk/s3-presigned-post";
import { beforeAll, expect, test } from "vitest";
import { SECOND } from "#local-aws/support/time.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

const fixture = openedOnce(() => startEmulatorFixture(undefined, undefined, ["http://app.example"]));
beforeAll(async () => {
  for (const name of [Bucket, "elsewhere"]) await fixture.s3.send(new CreateBucketCommand({ Bucket: name }));
});

const Bucket = "uploads";
const file = Buffer.alloc(500, 7);
const type = { "Content-Type": "image/png" };
const size: ["content-length-range", number, number] = ["content-length-range", 1, 1000];

const grant = (Key: string, more: Partial<PresignedPostOptions> = {}): Promise<PresignedPost> =>
  createPresignedPost(fixture.s3, { Bucket, Key, Conditions: [size, type], Fields: type, Expires: 900, ...more });

interface Upload {
  readonly set?: Record<string, string>;
  readonly drop?: readonly string[];
  readonly fileField?: string;
  readonly fileName?: string;
}

async function post(
  to: PresignedPost,
  body = file,
  { set, drop = [], fileField = "file", fileName = "a.png" }: Upload = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...to.fields, ...set }))
    if (!drop.includes(name)) form.append(name, value);
  form.append(fileField, new Blob([body], { type: "image/png" }), fileName);
  const response = await fetch(to.url, { method: "POST", body: form, redirect: "manual" });
  const text = await response.text();
  return { status: response.status, code: /<Code>(.*?)<\/Code>/.exec(text)?.[1], text, headers: response.headers };
}

const head = (Key: string) => fixture.s3.send(new HeadObjectCommand({ Bucket, Key }));

test("an upload by form that matches its policy is stored with its type", async () => {
  expect((await post(await grant("ok"))).status).toBe(204);
  expect(await head("ok")).toMatchObject({ ContentLength: 500, ContentType: "image/png" });
});

test.each([
  [1, 204, undefined],
  [1000, 204, undefined],
  [0, 400, "EntityTooSmall"],
  [1001, 400, "EntityTooLarge"],
])("an upload by form of %i bytes, where 1 to 1000 are allowed, gets %i", async (length, status, code) => {
  const key = `size-${length}`;
  const answer = await post(await grant(key), Buffer.alloc(length));
  expect([answer.status, answer.code]).toEqual([status, code]);
  if (status === 204) expect((await head(key)).ContentLength).toBe(length);
  else await expect(head(key)).rejects.toMatchObject({ name: "NotFound" });
});

test("an upload by form whose bytes contain form boundaries is stored completely", async () => {
  const tricky = Buffer.from('\r\n--x\r\n\r\n----\r\nContent-Disposition: form-data; name="key"\r\n\r\nother\r\n--');
  await post(await grant("tricky"), tricky);
  expect((await head("tricky")).ContentLength).toBe(tricky.length);
});

test.each<[string, Upload, number, string]>([
  ["another type", { set: { "Content-Type": "text/html" } }, 403, "AccessDenied"],
  ["no type", { drop: ["Content-Type"] }, 403, "AccessDenied"],
  ["another key", { set: { key: "other" } }, 403, "AccessDenied"],
  ["a field that the policy does not list", { set: { "x-amz-meta-evil": "1" } }, 403, "AccessDenied"],
  ["another signature", { set: { "X-Amz-Signature": "0".repeat(64) } }, 403, "SignatureDoesNotMatch"],
  ["no policy", { drop: ["Policy"] }, 403, "AccessDenied"],
  ["no signature", { drop: ["X-Amz-Signature"] }, 403, "SignatureDoesNotMatch"],
  [
    "no signature fields",
    { drop: ["Policy", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Algorithm", "X-Amz-Date"] },
    403,
    "AccessDenied",
  ],
  [
    "an unknown caller",
    { set: { "X-Amz-Credential": "x/20250101/us-east-1/s3/aws4_request" } },
    403,
    "InvalidAccessKeyId",
  ],
  ["no file", { fileField: "attachment" }, 400, "InvalidArgument"],
])("an upload by form with %s is rejected", async (_, upload, status, code) => {
  const answer = await post(await grant("refused"), file, upload);
  expect([answer.status, answer.code]).toEqual([status, code]);
  await expect(head("refused")).rejects.toMatchObject({ name: "NotFound" });
});

test("an upload by form to another bucket is rejected", async () => {
  const granted = await grant("moved");
  const answer = await post({ ...granted, url: granted.url.replace(Bucket, "elsewhere") });
  expect([answer.status, answer.code]).toEqual([403, "AccessDenied"]);
});

test("an upload by form with a policy that was changed after signing is rejected", async () => {
  const granted = await grant("widened");
  const policy = JSON.parse(Buffer.from(granted.fields.Policy ?? "", "base64").toString());
  policy.conditions[0][2] = 999_999;
  const Policy = Buffer.from(JSON.stringify(policy)).toString("base64");
  const answer = await post(granted, Buffer.alloc(5000), { set: { Policy } });
  expect([answer.status, answer.code]).toEqual([403, "SignatureDoesNotMatch"]);
});

test("an upload by form is accepted until its policy expires by the stack's clock, and rejected from then on", async () => {
  const granted = await grant("late", { Expires: 900 });
  const policy = JSON.parse(Buffer.from(granted.fields.Policy ?? "", "base64").toString());
  const expiresAt = Date.parse(policy.expiration);
  fixture.advance(expiresAt - 1 - fixture.now());
  expect((await post(granted)).status).toBe(204);
  fixture.advance(1);
  const answer = await post(granted);
  expect([answer.status, answer.code]).toEqual([403, "AccessDenied"]);
  expect(answer.text).toContain("Policy expired");
  fixture.advance(-900 * SECOND);
  expect((await post(granted)).status).toBe(204);
});

test("an upload by form is answered with 201 and XML if its form requests that", async () => {
  const fields = { ...type, success_action_status: "201" };
  const Conditions = [size, type, { success_action_status: "201" }];
  const answer = await post(await grant("dir/é", { Fields: fields, Conditions }));
  expect(answer.status).toBe(201);
  expect(answer.text).toContain("<Key>dir/é</Key>");
  expect(answer.headers.get("location")).toBe(`/${Bucket}/dir/%C3%A9`);
});

test("an upload by form may have metadata, and a value with the prefix in the policy", async () => {
  const Conditions: PresignedPostOptions["Conditions"] = [
    size,
    ["starts-with", "$Content-Type", "image/"],
    { "x-amz-meta-u": "1" },
  ];
  const Fields = { "x-amz-meta-u": "1", "Content-Type": "image/gif" };
  const granted = await grant("meta", { Conditions, Fields });
  expect((await post(granted)).status).toBe(204);
  expect(await head("meta")).toMatchObject({ ContentType: "image/gif", Metadata: { u: "1" } });
  expect((await post(granted, file, { set: { "Content-Type": "text/html" } })).status).toBe(403);
});

test("an upload by form replaces the placeholder in the key with the file's name", async () => {
  const granted = await grant(["named/$", "{filename}"].join(""), { Conditions: [size, type] });
  expect((await post(granted, file, { fileName: "cat.png" })).status).toBe(204);
  expect((await head("named/cat.png")).ContentLength).toBe(500);
});

const origin = "http://app.example";
const rule = { AllowedMethods: ["POST"], AllowedOrigins: [origin], AllowedHeaders: ["x-*"], ExposeHeaders: ["ETag"] };
const preflight = (from: string, method: string, headers = "") =>
  fetch(`${fixture.emulators.url}/${Bucket}`, {
    method: "OPTIONS",
    headers: {
      origin: from,
      "access-control-request-method": method,
      ...(headers ? { "access-control-request-headers": headers } : {}),
    },
  });
const put = () => fixture.s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [rule] } }));

test("a page of another origin may post if a rule allows its origin, and can read errors", async () => {
  await put();
  const allowed = await preflight(origin, "POST", "x-one, x-two");
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
  expect(allowed.headers.get("access-control-allow-headers")).toBe("x-one, x-two");
  const refused = await fetch(`${fixture.emulators.url}/${Bucket}`, { method: "POST", headers: { origin } });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, origin]);
  expect(refused.headers.get("access-control-expose-headers")).toBe("ETag");
});

test("a page of another origin may not use another origin, method or header", async () => {
  await put();
  for (const answer of [
    await preflight("http://evil.example", "POST"),
    await preflight(origin, "PUT"),
    await preflight(origin, "POST", "authorization"),
  ]) {
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  }
});
