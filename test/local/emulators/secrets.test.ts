import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bench, startBench } from "./support/bench.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.close());

const read = (SecretId: string, more = {}) => bench.secrets.send(new GetSecretValueCommand({ SecretId, ...more }));

test("a secret is read by its name and by its ARN", async () => {
  const { ARN } = await bench.secrets.send(new CreateSecretCommand({ Name: "app/root", SecretString: "s1" }));
  expect((await read("app/root")).SecretString).toBe("s1");
  expect((await read(ARN ?? "")).SecretString).toBe("s1");
  expect(ARN).toMatch(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:app\/root-[0-9a-f]{6}$/);
});

test("a new value is current, and the one before can still be read", async () => {
  await bench.secrets.send(new CreateSecretCommand({ Name: "rotated", SecretString: "s1" }));
  await bench.secrets.send(new PutSecretValueCommand({ SecretId: "rotated", SecretString: "s2" }));
  expect((await read("rotated")).SecretString).toBe("s2");
  const previous = await read("rotated", { VersionStage: "AWSPREVIOUS" });
  expect(previous.SecretString).toBe("s1");
  expect((await read("rotated", { VersionId: previous.VersionId })).SecretString).toBe("s1");
  const described = await bench.secrets.send(new DescribeSecretCommand({ SecretId: "rotated" }));
  expect(Object.values(described.VersionIdsToStages ?? {})).toEqual([["AWSCURRENT"], ["AWSPREVIOUS"]]);
  expect(described).not.toHaveProperty("SecretString");
});

test("bytes come back as bytes", async () => {
  const SecretBinary = Buffer.from([0, 255, 1]);
  await bench.secrets.send(new CreateSecretCommand({ Name: "bytes", SecretBinary }));
  expect(Buffer.from((await read("bytes")).SecretBinary ?? [])).toEqual(SecretBinary);
});

test("an unknown secret, and one without a value, is not found", async () => {
  await expect(read("nope")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  await bench.secrets.send(new CreateSecretCommand({ Name: "empty" }));
  await expect(read("empty")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});

test("a name is taken once, but the same call may be repeated", async () => {
  const input = { Name: "once", SecretString: "s", ClientRequestToken: "t".repeat(32) };
  const made = await bench.secrets.send(new CreateSecretCommand(input));
  expect((await bench.secrets.send(new CreateSecretCommand(input))).ARN).toBe(made.ARN);
  for (const again of [
    { ...input, SecretString: "other" },
    { ...input, ClientRequestToken: "u".repeat(32) },
  ]) {
    const create = bench.secrets.send(new CreateSecretCommand(again));
    await expect(create).rejects.toMatchObject({ name: "ResourceExistsException" });
  }
});

test("a secret is there after a restart", async () => {
  let own = await startBench();
  try {
    await own.secrets.send(new CreateSecretCommand({ Name: "kept", SecretString: "s1" }));
    await own.secrets.send(new PutSecretValueCommand({ SecretId: "kept", SecretString: "s2" }));
    own = await own.restart();
    const kept = await own.secrets.send(new GetSecretValueCommand({ SecretId: "kept" }));
    expect(kept.SecretString).toBe("s2");
  } finally {
    await own.close();
  }
});

test("an operation that is not emulated says so by name", async () => {
  await expect(bench.secrets.send(new DeleteSecretCommand({ SecretId: "x" }))).rejects.toThrow(
    "secretsmanager.DeleteSecret is not emulated",
  );
});
