import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { openUploadGrants, type UploadForm } from "#base/aws/upload-files.ts";
import { DAY, iso, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { startEmulatorFixture } from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import { openedOnce } from "../../support/opened.ts";

const BUCKET = "uploads";
const TYPE = "image/png";
const MAX = 1_000;
const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  await fixture.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
});

const newGrant = (key: string, expiresAt: Millis, client: S3Client = fixture.s3) =>
  openUploadGrants(BUCKET, client).grant({ key, contentType: TYPE, maxSize: MAX, expiresAt });

function readPolicy({ fields }: UploadForm): { expiration: string; conditions: unknown[] } {
  return JSON.parse(Buffer.from(fields.Policy ?? "", "base64").toString());
}

interface Attempt {
  readonly fields?: Readonly<Record<string, string>>;
  readonly size?: number;
}

async function post(form: UploadForm, { fields = {}, size = MAX }: Attempt = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...form.fields, ...fields })) body.append(name, value);
  body.append("file", new Blob([Buffer.alloc(size)]), "photo.png");
  const response = await fetch(form.url, { method: "POST", body });
  return [response.status, /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1] ?? null];
}

it("a grant allows one key, one type, 1 byte to the maximum and one response status, each exactly", async () => {
  const { conditions } = readPolicy(await newGrant("u/a", fixture.now() + 15 * MINUTE));
  const own = conditions.filter((condition) => !JSON.stringify(condition).startsWith('{"X-Amz-'));
  expect(own.map((condition) => JSON.stringify(condition)).sort()).toEqual(
    [
      '["content-length-range",1,1000]',
      '{"Content-Type":"image/png"}',
      '{"bucket":"uploads"}',
      '{"key":"u/a"}',
      '{"success_action_status":"204"}',
    ].sort(),
  );
  expect(JSON.stringify(conditions)).not.toContain("starts-with");
});

it.each<[string, Attempt, number, string | null]>([
  ["the largest file", {}, 204, null],
  ["one byte", { size: 1 }, 204, null],
  ["no byte", { size: 0 }, 400, "EntityTooSmall"],
  ["one byte too many", { size: MAX + 1 }, 400, "EntityTooLarge"],
  ["another type", { fields: { "Content-Type": "text/html" } }, 403, "AccessDenied"],
  ["another key", { fields: { key: "u/b" } }, 403, "AccessDenied"],
  ["an ACL", { fields: { acl: "public-read" } }, 403, "AccessDenied"],
  ["tags", { fields: { tagging: "<Tagging/>" } }, 403, "AccessDenied"],
  ["a redirect", { fields: { success_action_redirect: "https://example.com" } }, 403, "AccessDenied"],
  ["another response status", { fields: { success_action_status: "200" } }, 403, "AccessDenied"],
])("a grant with %s is answered with %i", async (_, attempt, status, code) => {
  const form = await newGrant("u/a", fixture.now() + 15 * MINUTE);
  expect(await post(form, attempt)).toEqual([status, code]);
});

it("a grant ends at its whole second by the stack's clock, also if the machine has another time", async () => {
  for (const offset of [-2 * DAY, -1, 0, 1, 3 * DAY]) {
    fixture.advance(offset);
    const expiresAt = fixture.now() + 15 * MINUTE;
    const end = expiresAt - (expiresAt % SECOND);
    // The SDK corrects its clock by each response, whose `Date` has whole seconds.
    fixture.s3.config.systemClockOffset = -999 - offset / DAY;
    const form = await newGrant("u/a", expiresAt);
    expect(readPolicy(form).expiration).toBe(iso(end).replace(".000Z", "Z"));
    fixture.advance(end - 1 - fixture.now());
    expect(await post(form)).toEqual([204, null]);
    fixture.advance(1);
    expect(await post(form)).toEqual([403, "AccessDenied"]);
  }
});

describe("credentials", () => {
  /** A client whose provider gives credentials with these expiries, one after the other. */
  function clientWith(...expiries: (Millis | null)[]) {
    let calls = 0;
    const client = new S3Client({
      region: "us-east-1",
      credentials: async () => {
        const expiry = expiries[Math.min(calls, expiries.length - 1)] ?? null;
        calls += 1;
        const expiration = expiry === null ? {} : { expiration: new Date(expiry) };
        return { accessKeyId: `key${calls}`, secretAccessKey: "s", sessionToken: `token${calls}`, ...expiration };
      },
    });
    return { client, calls: () => calls };
  }
  const signer = ({ fields }: UploadForm) => [
    fields["X-Amz-Credential"]?.split("/")[0],
    fields["X-Amz-Security-Token"],
  ];
  const now = Date.now();
  const expiresAt = now + 15 * MINUTE;

  it("credentials that expire before the grant are replaced before they sign it", async () => {
    const { client, calls } = clientWith(expiresAt - 1, now + 60 * MINUTE);
    expect(signer(await newGrant("u/a", expiresAt, client))).toEqual(["key2", "token2"]);
    expect(signer(await newGrant("u/b", expiresAt, client))).toEqual(["key2", "token2"]);
    expect(calls()).toBe(2);
  });

  it("credentials that outlive the grant sign it", async () => {
    const { client, calls } = clientWith(expiresAt, now + 60 * MINUTE);
    expect(signer(await newGrant("u/a", expiresAt, client))).toEqual(["key1", "token1"]);
    expect(calls()).toBe(1);
  });

  it("credentials that name no expiry sign it", async () => {
    const { client, calls } = clientWith(null);
    expect(signer(await newGrant("u/a", expiresAt, client))).toEqual(["key1", "token1"]);
    expect(calls()).toBe(1);
  });

  it("credentials of which the provider has no longer-lived ones sign it, and expire with them", async () => {
    const { client } = clientWith(expiresAt - 1);
    expect(signer(await newGrant("u/a", expiresAt, client))).toEqual(["key2", "token2"]);
  });
});
