import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

const fixture = openedOnce(startEmulatorFixture);

const read = (SecretId: string, more = {}) => fixture.secrets.send(new GetSecretValueCommand({ SecretId, ...more }));

test("a secret is read by its name and by its ARN", async () => {
  const { ARN } = await fixture.secrets.send(new CreateSecretCommand({ Name: "app/root", SecretString: "s1" }));
  expect((await read("app/root")).SecretString).toBe("s1");
  expect((await read(ARN ?? "")).SecretString).toBe("s1");
  expect(ARN).toMatch(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:app\/root-[0-9a-f]{6}$/);
});

test("a new value is current, and the previous one is still readable", async () => {
  await fixture.secrets.send(new CreateSecretCommand({ Name: "rotated", SecretString: "s1" }));
  await fixture.secrets.send(new PutSecretValueCommand({ SecretId: "rotated", SecretString: "s2" }));
  expect((await read("rotated")).SecretString).toBe("s2");
  const previous = await read("rotated", { VersionStage: "AWSPREVIOUS" });
  expect(previous.SecretString).toBe("s1");
  expect((await read("rotated", { VersionId: previous.VersionId })).SecretString).toBe("s1");
  const described = await fixture.secrets.send(new DescribeSecretCommand({ SecretId: "rotated" }));
  expect(Object.values(described.VersionIdsToStages ?? {})).toEqual([["AWSCURRENT"], ["AWSPREVIOUS"]]);
  expect(described).not.toHaveProperty("SecretString");
});

test("a stage moves only from the version that the caller names, and the current version becomes the previous one", async () => {
  const SecretId = "staged";
  const first = await fixture.secrets.send(new CreateSecretCommand({ Name: SecretId, SecretString: "s1" }));
  const put = (SecretString: string, stage: string) =>
    fixture.secrets.send(new PutSecretValueCommand({ SecretId, SecretString, VersionStages: [stage] }));
  const promote = (to: { VersionId?: string | undefined }, from: { VersionId?: string | undefined }) =>
    fixture.secrets.send(
      new UpdateSecretVersionStageCommand({
        SecretId,
        VersionStage: "AWSCURRENT",
        MoveToVersionId: to.VersionId,
        RemoveFromVersionId: from.VersionId,
      }),
    );
  const [second, third] = [await put("s2", "two"), await put("s3", "three")];
  expect((await read(SecretId)).SecretString).toBe("s1");
  expect((await read(SecretId, { VersionStage: "two" })).SecretString).toBe("s2");
  await promote(second, first);
  await expect(promote(third, first)).rejects.toMatchObject({ name: "InvalidParameterException" });
  // A repeated call changes nothing.
  await promote(second, first);
  expect((await read(SecretId)).SecretString).toBe("s2");
  expect((await read(SecretId, { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("s1");
  await promote(third, second);
  expect((await read(SecretId, { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("s2");
  await expect(read(SecretId, { VersionId: first.VersionId })).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
});

test("a binary secret is returned as bytes", async () => {
  const SecretBinary = Buffer.from([0, 255, 1]);
  await fixture.secrets.send(new CreateSecretCommand({ Name: "bytes", SecretBinary }));
  expect(Buffer.from((await read("bytes")).SecretBinary ?? [])).toEqual(SecretBinary);
});

test("an unknown secret, and one without a value, is not found", async () => {
  await expect(read("nope")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  await fixture.secrets.send(new CreateSecretCommand({ Name: "empty" }));
  await expect(read("empty")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});

test("a name is used once, but the same call may be repeated", async () => {
  const input = { Name: "once", SecretString: "s", ClientRequestToken: "t".repeat(32) };
  const created = await fixture.secrets.send(new CreateSecretCommand(input));
  expect((await fixture.secrets.send(new CreateSecretCommand(input))).ARN).toBe(created.ARN);
  for (const again of [
    { ...input, SecretString: "other" },
    { ...input, ClientRequestToken: "u".repeat(32) },
  ]) {
    const create = fixture.secrets.send(new CreateSecretCommand(again));
    await expect(create).rejects.toMatchObject({ name: "ResourceExistsException" });
  }
});

test("a secret survives a restart", async () => {
  let restartable = await startEmulatorFixture();
  try {
    await restartable.secrets.send(new CreateSecretCommand({ Name: "stored", SecretString: "s1" }));
    await restartable.secrets.send(new PutSecretValueCommand({ SecretId: "stored", SecretString: "s2" }));
    restartable = await restartable.restart();
    const stored = await restartable.secrets.send(new GetSecretValueCommand({ SecretId: "stored" }));
    expect(stored.SecretString).toBe("s2");
  } finally {
    await restartable.close();
  }
});

test("an error names an operation that is not emulated", async () => {
  await expect(fixture.secrets.send(new DeleteSecretCommand({ SecretId: "x" }))).rejects.toThrow(
    "secretsmanager.DeleteSecret is not emulated",
  );
});
