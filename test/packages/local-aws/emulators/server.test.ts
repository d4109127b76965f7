import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulators } from "#local-aws/emulators/server.ts";
import { testAccessKeys } from "../../../support/access/access-keys.ts";
import { signedFetch } from "../../../support/access/signed-fetch.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";

const fixture = openedOnce(startEmulatorFixture);

const call = (target: string, body = "{}") =>
  signedFetch(fixture.emulators.url, { service: "sqs", headers: { "x-amz-target": target }, body });

test("the server listens on loopback only", async () => {
  const { hostname, port } = new URL(fixture.emulators.url);
  expect(hostname).toBe("127.0.0.1");
  const outside = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  for (const { address, family, internal } of outside) {
    if (internal || family !== "IPv4") continue;
    await expect(fetch(`http://${address}:${port}/`), address).rejects.toThrow("fetch failed");
  }
});

test("an error names a service that is not emulated", async () => {
  const answer = await call("DynamoDB_20120810.PutItem");
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    __type: "UnknownOperationException",
    message: "DynamoDB_20120810.PutItem is not emulated.",
  });
});

test("names of inherited object properties are not services or operations", async () => {
  for (const target of ["constructor.x", "AmazonSQS.constructor", "AmazonSQS.toString", "__proto__.x"]) {
    const answer = await call(target);
    expect([target, answer.status]).toEqual([target, 400]);
  }
});

test("a JSON call without a signature of a known access key is rejected", async () => {
  const headers = { "x-amz-target": "AmazonSQS.CreateQueue" };
  const body = '{"QueueName":"unsigned"}';
  const unsigned = await fetch(fixture.emulators.url, { method: "POST", headers, body });
  const other = (accessKey: { id: string; secret: string }) =>
    signedFetch(fixture.emulators.url, { service: "sqs", headers, body, accessKey });
  const answers = [unsigned, await other({ id: "other", secret: "local" }), await other({ id: "local", secret: "x" })];
  const types = await Promise.all(
    answers.map(async (answer) => [answer.status, ((await answer.json()) as { __type: string }).__type]),
  );
  expect(types).toEqual([
    [403, "MissingAuthenticationTokenException"],
    [403, "UnrecognizedClientException"],
    [403, "InvalidSignatureException"],
  ]);
  expect(await (await call("AmazonSQS.ListQueues")).text()).not.toContain("unsigned");
});

test("a body that is not JSON or does not match the schema is a client error", async () => {
  expect(await (await call("AmazonSQS.ListQueues", "{")).json()).toMatchObject({
    __type: "com.amazonaws.sqs#SerializationException",
  });
  const shape = await call("TrentService.Encrypt", '{"KeyId":5}');
  expect([shape.status, await shape.text()]).toEqual([400, expect.stringContaining("KeyId")]);
});

test("a path with invalid percent encoding is a client error", async () => {
  const answer = await fetch(`${fixture.emulators.url}/bucket/%E0%A4%A`);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("<Code>InvalidURI</Code>")]);
});

test("a port in use is an error at the start, before any file is touched", async () => {
  const port = Number(new URL(fixture.emulators.url).port);
  const dataDir = join(fixture.dataDir, "second");
  const second = startEmulators({ port, dataDir, now: () => 0, accessKeys: testAccessKeys });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(existsSync(dataDir)).toBe(false);
});

test("damaged data is an error at the start that names the file", async () => {
  const dataDir = join(fixture.dataDir, "damaged");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "kms.jsonl"), "not json\n");
  const start = startEmulators({ port: 0, dataDir, now: () => 0, accessKeys: testAccessKeys });
  await expect(start).rejects.toThrow("kms.jsonl: line 1 is damaged");
});
