import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulators } from "../../../local/emulators/server.ts";
import { type EmulatorFixture, startEmulatorFixture } from "./support/emulator-fixture.ts";

let fixture: EmulatorFixture;
beforeAll(async () => {
  fixture = await startEmulatorFixture();
});
afterAll(() => fixture.close());

const call = (target: string, body = "{}", headers: Record<string, string> = { authorization: "signed" }) =>
  fetch(fixture.emulators.url, { method: "POST", headers: { "x-amz-target": target, ...headers }, body });

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

test("a JSON call without authorization is rejected", async () => {
  const answer = await call("AmazonSQS.ListQueues", "{}", {});
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ __type: "MissingAuthenticationTokenException" });
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
  const second = startEmulators({ port, dataDir, now: () => 0 });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(existsSync(dataDir)).toBe(false);
});

test("damaged data is an error at the start that names the file", async () => {
  const dataDir = join(fixture.dataDir, "damaged");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "kms.jsonl"), "not json\n");
  const start = startEmulators({ port: 0, dataDir, now: () => 0 });
  await expect(start).rejects.toThrow("kms.jsonl: line 1 is damaged");
});
