import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  DisableKeyRotationCommand,
  EnableKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GenerateMacCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  ReEncryptCommand,
  ScheduleKeyDeletionCommand,
  UpdateAliasCommand,
  VerifyMacCommand,
} from "@aws-sdk/client-kms";
import { expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

const fixture = openedOnce(startEmulatorFixture);

const plaintext = Buffer.from("page-token-é");
const context = { tenant: "t1", account: "a#1" };

async function newKey(): Promise<string> {
  return (await fixture.kms.send(new CreateKeyCommand({}))).KeyMetadata?.Arn ?? "";
}

async function encrypt(KeyId: string): Promise<Uint8Array> {
  const sealed = await fixture.kms.send(
    new EncryptCommand({ KeyId, Plaintext: plaintext, EncryptionContext: context }),
  );
  return sealed.CiphertextBlob ?? new Uint8Array();
}

const decrypt = (CiphertextBlob: Uint8Array, EncryptionContext?: Record<string, string>, KeyId?: string) =>
  fixture.kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext, KeyId }));

test("a key is found by its id, its ARN and its alias", async () => {
  const arn = await newKey();
  const id = arn.split("/")[1];
  await fixture.kms.send(new CreateAliasCommand({ AliasName: "alias/tokens", TargetKeyId: id }));
  for (const KeyId of [id, arn, "alias/tokens", "arn:aws:kms:us-east-1:000000000000:alias/tokens"]) {
    expect((await fixture.kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata?.KeyId).toBe(id);
  }
  const twice = new CreateAliasCommand({ AliasName: "alias/tokens", TargetKeyId: id });
  await expect(fixture.kms.send(twice)).rejects.toMatchObject({ name: "AlreadyExistsException" });
  const other = await newKey();
  await fixture.kms.send(new UpdateAliasCommand({ AliasName: "alias/tokens", TargetKeyId: other }));
  expect((await fixture.kms.send(new DescribeKeyCommand({ KeyId: "alias/tokens" }))).KeyMetadata?.Arn).toBe(other);
});

test("a ciphertext decrypts with its context in any order", async () => {
  const arn = await newKey();
  const decrypted = await decrypt(await encrypt(arn), { account: "a#1", tenant: "t1" });
  expect(Buffer.from(decrypted.Plaintext ?? [])).toEqual(plaintext);
  expect(decrypted.KeyId).toBe(arn);
});

test("a ciphertext does not decrypt with another context or none", async () => {
  const sealed = await encrypt(await newKey());
  const refusal = { name: "InvalidCiphertextException" };
  await expect(decrypt(sealed, { ...context, tenant: "t2" })).rejects.toMatchObject(refusal);
  await expect(decrypt(sealed, { ...context, more: "x" })).rejects.toMatchObject(refusal);
  await expect(decrypt(sealed)).rejects.toMatchObject(refusal);
});

test("a ciphertext with any changed byte, or a truncated one, does not decrypt", async () => {
  const sealed = Buffer.from(await encrypt(await newKey()));
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    await expect(decrypt(changed, context), `byte ${index}`).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    });
  }
  const cut = sealed.subarray(0, 45);
  await expect(decrypt(cut, context)).rejects.toMatchObject({ name: "InvalidCiphertextException" });
});

test("a ciphertext does not decrypt if the request names another key", async () => {
  const sealed = await encrypt(await newKey());
  await expect(decrypt(sealed, context, await newKey())).rejects.toMatchObject({ name: "IncorrectKeyException" });
});

test("a data key is returned as plaintext and ciphertext, and the ciphertext decrypts to the plaintext", async () => {
  const KeyId = await newKey();
  const input = { KeyId, KeySpec: "AES_256" as const, EncryptionContext: context };
  const dataKey = await fixture.kms.send(new GenerateDataKeyCommand(input));
  const decrypted = await decrypt(dataKey.CiphertextBlob ?? new Uint8Array(), context);
  expect(decrypted.Plaintext).toHaveLength(32);
  expect(decrypted.Plaintext).toEqual(dataKey.Plaintext);
  const hidden = await fixture.kms.send(new GenerateDataKeyWithoutPlaintextCommand(input));
  expect(hidden).not.toHaveProperty("Plaintext");
});

test("ReEncrypt encrypts under another key and context", async () => {
  const [from, to] = [await newKey(), await newKey()];
  const again = await fixture.kms.send(
    new ReEncryptCommand({
      CiphertextBlob: await encrypt(from),
      SourceEncryptionContext: context,
      DestinationKeyId: to,
      DestinationEncryptionContext: { x: "y" },
    }),
  );
  const decrypted = await decrypt(again.CiphertextBlob ?? new Uint8Array(), { x: "y" }, to);
  expect(Buffer.from(decrypted.Plaintext ?? [])).toEqual(plaintext);
});

test("4096 bytes are encrypted, and one byte more is rejected", async () => {
  const KeyId = await newKey();
  await fixture.kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.alloc(4096) }));
  const tooLong = new EncryptCommand({ KeyId, Plaintext: Buffer.alloc(4097) });
  await expect(fixture.kms.send(tooLong)).rejects.toMatchObject({ name: "ValidationException" });
});

test("an unknown key is not found, and a disabled key works again once it is enabled", async () => {
  await expect(encrypt("nope")).rejects.toMatchObject({ name: "NotFoundException" });
  const KeyId = await newKey();
  const sealed = await encrypt(KeyId);
  await fixture.kms.send(new DisableKeyCommand({ KeyId }));
  await expect(encrypt(KeyId)).rejects.toMatchObject({ name: "DisabledException" });
  await expect(decrypt(sealed, context)).rejects.toMatchObject({ name: "DisabledException" });
  await fixture.kms.send(new EnableKeyCommand({ KeyId }));
  await decrypt(sealed, context);
});

test("a MAC is verified, a wrong one is rejected, and a key allows only its own usage", async () => {
  const spec = { KeyUsage: "GENERATE_VERIFY_MAC", KeySpec: "HMAC_256" } as const;
  const KeyId = (await fixture.kms.send(new CreateKeyCommand(spec))).KeyMetadata?.KeyId ?? "";
  const input = { KeyId, Message: plaintext, MacAlgorithm: "HMAC_SHA_256" } as const;
  const { Mac } = await fixture.kms.send(new GenerateMacCommand(input));
  expect((await fixture.kms.send(new VerifyMacCommand({ ...input, Mac }))).MacValid).toBe(true);
  const wrong = fixture.kms.send(new VerifyMacCommand({ ...input, Mac: Buffer.alloc(32) }));
  await expect(wrong).rejects.toMatchObject({ name: "KMSInvalidMacException" });
  await expect(encrypt(KeyId)).rejects.toMatchObject({ name: "InvalidKeyUsageException" });
});

test("a key and its alias are the same after a restart", async () => {
  let restartable = await startEmulatorFixture();
  try {
    const { KeyMetadata: created } = await restartable.kms.send(new CreateKeyCommand({}));
    await restartable.kms.send(
      new CreateAliasCommand({ AliasName: "alias/template", TargetKeyId: created?.KeyId ?? "" }),
    );
    const sealed = await restartable.kms.send(new EncryptCommand({ KeyId: "alias/template", Plaintext: plaintext }));
    restartable = await restartable.restart();
    const decrypted = await restartable.kms.send(new DecryptCommand({ CiphertextBlob: sealed.CiphertextBlob }));
    expect(Buffer.from(decrypted.Plaintext ?? [])).toEqual(plaintext);
    const described = await restartable.kms.send(new DescribeKeyCommand({ KeyId: "alias/template" }));
    expect(described.KeyMetadata?.Arn).toBe(created?.Arn);
  } finally {
    await restartable.close();
  }
});

test("a key has the policy it was created with, else one that leaves its use to IAM, and rotates once it is asked to", async () => {
  const KeyId = await newKey();
  const policyOf = async (id: string | undefined) =>
    (await fixture.kms.send(new GetKeyPolicyCommand({ KeyId: id }))).Policy;
  expect(await policyOf(KeyId)).toContain("arn:aws:iam::000000000000:root");
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [] });
  const { KeyMetadata } = await fixture.kms.send(new CreateKeyCommand({ Policy }));
  expect(await policyOf(KeyMetadata?.KeyId)).toBe(Policy);
  const rotates = async () => (await fixture.kms.send(new GetKeyRotationStatusCommand({ KeyId }))).KeyRotationEnabled;
  expect(await rotates()).toBe(false);
  await fixture.kms.send(new EnableKeyRotationCommand({ KeyId }));
  expect(await rotates()).toBe(true);
  await fixture.kms.send(new DisableKeyRotationCommand({ KeyId }));
  expect(await rotates()).toBe(false);
});

test("an error names an operation that is not emulated", async () => {
  const KeyId = await newKey();
  await expect(fixture.kms.send(new ScheduleKeyDeletionCommand({ KeyId }))).rejects.toThrow(
    "TrentService.ScheduleKeyDeletion is not emulated",
  );
});
