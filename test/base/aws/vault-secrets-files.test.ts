import { CreateKeyCommand } from "@aws-sdk/client-kms";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { openVault } from "#base/aws/vault.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { MINUTE } from "#base/kernel/time.ts";
import {
  type EmulatorFixture,
  startEmulatorFixture,
} from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import { openedOnce } from "../../support/opened.ts";
import { newTenant } from "../../support/stores/samples.ts";

let keyId: string;
const fixture = openedOnce(startEmulatorFixture);
beforeAll(async () => {
  setRuntimeOverrides({ now: fixture.now });
  const { KeyMetadata } = await fixture.kms.send(new CreateKeyCommand({}));
  keyId = KeyMetadata?.KeyId ?? "";
});
afterAll(async () => {
  setRuntimeOverrides({});
});

/** The number of requests that a client makes while `fn` runs. */
async function countRequests(
  client: EmulatorFixture["kms"] | EmulatorFixture["secrets"],
  fn: () => Promise<unknown>,
): Promise<number> {
  let times = 0;
  const stack = client.middlewareStack as EmulatorFixture["kms"]["middlewareStack"];
  stack.add(
    (next) => (args) => {
      times++;
      return next(args);
    },
    { name: "count", step: "finalizeRequest" },
  );
  await fn();
  stack.remove("count");
  return times;
}

const to = { purpose: "account-token", tenant: newTenant(), owner: "instagram#1" } as const;

it("the vault opens what it sealed for the same purpose, tenant and owner, and for no other", async () => {
  const vault = openVault(keyId, fixture.kms);
  const sealed = await vault.seal("a token ✓", to);
  expect(Buffer.from(sealed).toString("latin1")).not.toContain("token");
  expect(await vault.open(sealed, to)).toBe("a token ✓");
  for (const other of [
    { ...to, purpose: "webhook-secret" as const },
    { ...to, tenant: newTenant() },
    { ...to, owner: "instagram#2" },
  ]) {
    // This covers the cache, too: a value that was opened for one owner is not returned for another.
    await expect(vault.open(sealed, other)).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  }
});

it("the vault caches an opened value for five minutes, to the millisecond", async () => {
  const vault = openVault(keyId, fixture.kms);
  const sealed = await vault.seal("x", to);
  const open = () => vault.open(sealed, to);
  expect(await countRequests(fixture.kms, open)).toBe(1);
  fixture.advance(5 * MINUTE - 1);
  expect(await countRequests(fixture.kms, open)).toBe(0);
  fixture.advance(1);
  expect(await countRequests(fixture.kms, open)).toBe(1);
});

it("the vault caches at most 200 values, and drops the oldest", async () => {
  const vault = openVault(keyId, fixture.kms);
  const sealed = await Promise.all(Array.from({ length: 201 }, (_, i) => vault.seal(`secret ${i}`, to)));
  for (const one of sealed) await vault.open(one, to);
  const at = (i: number) => () => vault.open(sealed[i] ?? new Uint8Array(), to);
  expect(await countRequests(fixture.kms, at(200))).toBe(0);
  expect(await countRequests(fixture.kms, at(1))).toBe(0);
  expect(await countRequests(fixture.kms, at(0))).toBe(1);
});

it("a secret is read once in five minutes, also by concurrent readers, and then again", async () => {
  const SecretString = JSON.stringify({ meta: "m1", instagram: "i", verify_token: "v" });
  await fixture.secrets.send(new CreateSecretCommand({ Name: "platform", SecretString }));
  const read = secretReader("platform", parsePlatformSecrets, fixture.secrets);
  expect(await countRequests(fixture.secrets, () => Promise.all([read(), read(), read()]))).toBe(1);
  expect(await read()).toEqual({ meta: ["m1"], instagram: ["i"], verifyToken: "v" });
  await fixture.secrets.send(
    new PutSecretValueCommand({ SecretId: "platform", SecretString: '{"meta":"m2","instagram":7}' }),
  );
  fixture.advance(5 * MINUTE - 1);
  expect((await read()).meta).toEqual(["m1"]);
  fixture.advance(1);
  // A value that is not a string is ignored, and an empty secret matches nothing.
  expect(await read()).toEqual({ meta: ["m2"], instagram: [], verifyToken: "" });
});

it("a secret is read again at once for a caller to whom the cached value did not answer, at most once a minute", async () => {
  const put = (meta: unknown) =>
    fixture.secrets.send(new PutSecretValueCommand({ SecretId: "changed", SecretString: JSON.stringify({ meta }) }));
  await fixture.secrets.send(new CreateSecretCommand({ Name: "changed", SecretString: '{"meta":"m1"}' }));
  const read = secretReader("changed", parsePlatformSecrets, fixture.secrets);
  await read();
  await put(["m2", "m1", "m0", ""]);
  expect((await read(true)).meta).toEqual(["m2", "m1"]);
  expect(await countRequests(fixture.secrets, () => Promise.all([read(true), read(), read(true)]))).toBe(0);
  expect((await read()).meta).toEqual(["m1"]);
  fixture.advance(MINUTE);
  expect(await countRequests(fixture.secrets, () => read(true))).toBe(1);
});

it("a secret that could not be read is requested again at the next call", async () => {
  const read = secretReader("later", (text) => text, fixture.secrets);
  await expect(read()).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  await fixture.secrets.send(new CreateSecretCommand({ Name: "later", SecretString: "here" }));
  expect(await read()).toBe("here");
});

it("a file is returned byte for byte until it is removed, and a second removal succeeds", async () => {
  await fixture.s3.send(new CreateBucketCommand({ Bucket: "raw" }));
  const files = openFiles("raw", fixture.s3);
  const body = Uint8Array.from({ length: 300 }, (_, i) => i % 256);
  await files.put("a/b c.gz", body);
  expect(Buffer.from((await files.get("a/b c.gz")) ?? [])).toEqual(Buffer.from(body));
  await files.remove("a/b c.gz");
  await files.remove("a/b c.gz");
  expect(await files.get("a/b c.gz")).toBeNull();
});

it("a file in a missing bucket is an error, not an absent file", async () => {
  await expect(openFiles("elsewhere", fixture.s3).get("x")).rejects.toMatchObject({ name: "NoSuchBucket" });
});
