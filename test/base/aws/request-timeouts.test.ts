import { globSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { openMail } from "#base/aws/mail.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { secretReader } from "#base/aws/secrets.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openUploadFiles } from "#base/aws/upload-files.ts";
import { openVault } from "#base/aws/vault.ts";
import { functionTimeouts } from "#base/config/function-times.ts";
import { POST_ATTEMPTS_MAX, REQUEST_ATTEMPTS_MAX, requestTimeouts } from "#base/config/request-times.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { sendWrite, update } from "#base/table/writes.ts";
import { clientSettings } from "../../../functions/admin/tenant-ports.ts";
import { intakePorts } from "../../../functions/intake/ports.ts";

// A server takes every request and answers none. The test turns the clients' clock, so nothing waits.

const project = fileURLToPath(new URL("../../../", import.meta.url));
const KEY = { PK: "silence", SK: "item" };
const BODY = new Uint8Array(3);
const REAL_WAIT_MAX: Millis = 3 * SECOND;

let server: Server;
let serverUrl: string;
let requests = 0;
beforeAll(async () => {
  server = createServer((request) => {
    requests += 1;
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  requests = 0;
  vi.stubEnv("AWS_ENDPOINT_URL", serverUrl);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/**
 * Lets every attempt wait for `timeout` once the server has its request, and no longer.
 * @returns how the call ended, and the attempts that it made
 */
async function timeOut(timeout: Millis, call: () => Promise<unknown>) {
  let end: { value?: unknown; error?: unknown } | undefined;
  void call().then(
    (value) => {
      end = { value };
    },
    (error: unknown) => {
      end = { error };
    },
  );
  for (let attempt = 1; !end; attempt++) {
    await waitUntil(() => end !== undefined || requests === attempt);
    if (end) break;
    vi.advanceTimersByTime(timeout - 1);
    await setImmediate();
    expect(end).toBeUndefined();
    vi.advanceTimersByTime(1);
  }
  return { ...end, attempts: requests };
}

/** Waits for the connections, which are real. Of the timers it runs only those that are due at once. */
async function waitUntil(isTrue: () => boolean): Promise<void> {
  const until = performance.now() + REAL_WAIT_MAX;
  while (!isTrue()) {
    if (performance.now() > until) throw new Error("The call neither ends nor makes another attempt.");
    await setImmediate();
    vi.advanceTimersByTime(0);
  }
}

describe("a request whose answer never comes", () => {
  it.each([
    ["a read of the table", "table", () => openTable("t").client.send(new GetCommand({ TableName: "t", Key: KEY }))],
    ["a repeatable write of the table", "table", () => sendWrite(openTable("t"), update(KEY, { set: { n: 1 } }))],
    ["a message for a queue", "queues", () => openQueue(`${serverUrl}/1/inbound`).send({ body: "x" })],
    [
      "a received message's new time",
      "queues",
      () => openReceivedMessages().postpone("arn:q", [], new AbortController().signal),
    ],
    ["a secret", "secrets", () => secretReader("secret", String)()],
    ["the root secret", "secrets", () => serviceKeysReader("secret")()],
    [
      "a sealed token",
      "keys",
      () => openVault("key").seal("x", { purpose: "account-token", tenant: "t" as TenantId, owner: "o" }),
    ],
    ["a stored file", "files", () => openFiles("raw").put("a", BODY)],
    ["a read file", "files", () => openFiles("raw").get("a")],
    ["the head of an upload", "files", () => openUploadFiles("uploads").head("a")],
    [
      "the copy of an upload, which takes longer",
      "copy",
      () => openUploadFiles("uploads").copy({ key: "a", etag: '"e"' }, { key: "b", contentType: "image/png" }),
    ],
    [
      "an operator's command",
      "commands",
      () => {
        const client = new DynamoDBClient(clientSettings(process.env).tableService);
        return openTable("t", client).client.send(new GetCommand({ TableName: "t", Key: KEY }));
      },
    ],
  ] as const)("%s is made three times, and is then a TimeoutError", async (_name, service, call) => {
    const { error, attempts } = await timeOut(requestTimeouts[service], call);
    expect(error).toMatchObject({ name: "TimeoutError" });
    expect(attempts).toBe(REQUEST_ATTEMPTS_MAX);
  });

  it("a write at most once is not repeated, and its outcome is unknown", async () => {
    const write = update(KEY, { add: { n: 1 } });
    const { error, attempts } = await timeOut(requestTimeouts.table, () =>
      sendWrite(openTable("t"), write, { atMostOnce: true }),
    );
    expect(error).toMatchObject({ name: "UnknownOutcome" });
    expect(attempts).toBe(1);
  });

  it.each([
    ["a frame for a socket", () => openConnections(`${serverUrl}/live`).post("AAAAAAAAAAAAAAA=", "x")],
    ["the end of a socket", () => openConnections(`${serverUrl}/live`).close("AAAAAAAAAAAAAAA=")],
  ])("%s is made twice, and is then a TimeoutError", async (_name, call) => {
    const { error, attempts } = await timeOut(requestTimeouts.connections, call);
    expect(error).toMatchObject({ name: "TimeoutError" });
    expect(attempts).toBe(POST_ATTEMPTS_MAX);
  });

  it("a mail is not sent again, and its outcome is unknown", async () => {
    const mailer = openMail({ from: "parley@example.com", configurationSet: "mails" });
    const { value, attempts } = await timeOut(requestTimeouts.mail, () =>
      mailer.send({ to: "person@example.com", subject: "Hello", text: "A line." }),
    );
    expect(value).toBe("unknown");
    expect(attempts).toBe(1);
  });
});

const ports = () => {
  vi.stubEnv("PARLEY_INBOUND_QUEUE_URL", `${serverUrl}/1/inbound`);
  vi.stubEnv("PARLEY_RAW_BUCKET", "raw");
  vi.stubEnv("PARLEY_PLATFORM_SECRET_ID", "secret");
  return intakePorts();
};

it.each([
  ["the queue", () => ports().inbound.send({ body: "x" })],
  ["the file of a webhook", () => ports().files.put("a", BODY)],
  ["the secret", () => ports().platformSecrets()],
])("the intake function repeats a lost answer of %s within its own time", async (_name, call) => {
  const { error, attempts } = await timeOut(requestTimeouts.intake, call);
  expect(error).toMatchObject({ name: "TimeoutError" });
  expect(attempts).toBe(REQUEST_ATTEMPTS_MAX);
});

it("all attempts of a request, and the SDK's waits between them, fit the function that makes it", () => {
  // The SDK waits for up to 100 ms, then 200 ms.
  const longest = (timeout: Millis) => REQUEST_ATTEMPTS_MAX * timeout + 300;
  const { copy, intake, table, queues, keys, secrets, files } = requestTimeouts;
  expect(longest(intake)).toBeLessThan(functionTimeouts.Intake);
  // A request to the API ends a second before its function.
  expect(longest(copy)).toBeLessThan(functionTimeouts.Api - SECOND);
  const shortest = Math.min(...Object.values({ ...functionTimeouts, Intake: Number.POSITIVE_INFINITY }));
  for (const timeout of [table, queues, keys, secrets]) expect(longest(timeout)).toBeLessThan(shortest);
  // The console has no files.
  expect(longest(files)).toBeLessThan(functionTimeouts.Ingest);
});

it("every client of AWS is made with these options", () => {
  const sources = globSync("{shared,functions}/**/*.ts", { cwd: project }).map((file) => ({
    file,
    text: readFileSync(`${project}${file}`, "utf8"),
  }));
  const makers = sources.filter(
    ({ text }) => text.includes('from "@aws-sdk/client-') && /\bnew [A-Z]\w*Client\(/.test(text),
  );
  expect(makers.map(({ file }) => file)).toContain("shared/base/table/client.ts");
  const others = makers.filter(({ text }) => !/\b(requestOptions|clientSettings)\(/.test(text));
  expect(others.map(({ file }) => file)).toEqual([]);
});
