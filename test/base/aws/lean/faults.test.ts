import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ClientOptions } from "#base/aws/lean/client.ts";
import { DynamoDBClient } from "#base/aws/lean/dynamodb.ts";
import { requestOptions } from "#base/config/request-times.ts";
import { callScopePlugin, runInvocation } from "#base/kernel/call-scope.ts";
import { isServiceFault } from "#base/kernel/service-fault.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { sendWrite, update } from "#base/table/writes.ts";
import { type Answer, openBoth, openServer } from "./both-clients.ts";

// What goes wrong between a client and AWS: the lean client makes as many attempts as the SDK's, and fails alike.

/** Of clients that get no answer. Others wait longer than a busy machine takes. */
const SHORT: Millis = 100;
const Key = { PK: "a", SK: "b" };
const get = () => new GetCommand({ TableName: "t", Key });
const put = () => new PutCommand({ TableName: "t", Item: Key });

let server: Awaited<ReturnType<typeof openServer>>;
let clients: ReturnType<typeof openBoth>;
let options: ClientOptions;
beforeEach(async () => {
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
  server = await openServer();
  options = {
    endpoint: server.url,
    region: "eu-central-1",
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
    ...requestOptions(3 * SECOND),
  };
  clients = openBoth(options);
});
afterEach(() => {
  clients.sdk.dynamodb.destroy();
  server.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const refused = (type: string, status = 400): Answer => ({ status, body: JSON.stringify({ __type: type }) });

/** How a read of each client ends, and after how many attempts. */
async function endings(answers: readonly Answer[], pair = clients) {
  const outcome = async (which: "sdk" | "lean") => {
    server.requests.length = 0;
    server.answers.length = 0;
    server.answers.push(...answers);
    const ending = await pair[which].dynamodb.send(put()).then(
      () => "done",
      ({ name, $metadata }: Error & { $metadata?: { httpStatusCode?: number } }) => [name, $metadata?.httpStatusCode],
    );
    return { ending, attempts: server.requests.length };
  };
  return { sdk: await outcome("sdk"), lean: await outcome("lean") };
}

type Case = readonly [what: string, answers: readonly Answer[], ending: unknown, attempts: number];
it.each<Case>([
  ["one lost answer", ["cut"], "done", 2],
  ["three lost answers", ["cut", "cut", "cut"], ["TimeoutError", undefined], 3],
  ["three answers that never come", ["silence", "silence", "silence"], ["TimeoutError", undefined], 3],
  ["two throttled attempts", [refused("ThrottlingException"), refused("RequestLimitExceeded")], "done", 3],
  [
    "three throttled attempts",
    Array(3).fill(refused("ProvisionedThroughputExceededException")),
    ["ProvisionedThroughputExceededException", 400],
    3,
  ],
  ["a status for the rate of requests", [{ status: 429, body: "{}" }], "done", 2],
  ["an error of the service", [refused("InternalServerError", 500)], "done", 2],
  ["an outage", Array(3).fill(refused("ServiceUnavailable", 503)), ["ServiceUnavailable", 503], 3],
  ["a transaction in progress", [refused("TransactionInProgressException")], "done", 2],
  [
    "a conflict, which the store repeats",
    [refused("TransactionConflictException")],
    ["TransactionConflictException", 400],
    1,
  ],
  ["a failed condition", [refused("ConditionalCheckFailedException")], ["ConditionalCheckFailedException", 400], 1],
  ["a status without repetition", [refused("NotImplemented", 501)], ["NotImplemented", 501], 1],
])("a request that meets %s ends as with the SDK", async (_, answers, ending, attempts) => {
  const silent = openBoth({ ...options, ...requestOptions(SHORT) });
  const { sdk, lean } = await endings(answers, answers[0] === "silence" ? silent : clients);
  silent.sdk.dynamodb.destroy();
  expect(lean).toEqual({ ending, attempts });
  expect(sdk).toEqual(lean);
});

it("an answer that ends inside of its body is a lost one", async () => {
  server.answers.push("half");
  await clients.lean.dynamodb.send(get());
  expect(server.requests).toHaveLength(2);
});

it("an address where nothing listens is tried three times", async () => {
  server.close();
  const { sdk, lean } = clients;
  for (const { dynamodb } of [sdk, lean])
    await expect(dynamodb.send(get())).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("every error of an attempt says that a service does not work, also one that has no known name", async () => {
  for (const which of ["sdk", "lean"] as const) {
    server.answers.push("garbage", "garbage", "garbage");
    const error = await clients[which].dynamodb.send(get()).catch((thrown: unknown) => thrown);
    server.answers.length = 0;
    expect([which, isServiceFault(error)]).toEqual([which, true]);
    expect(error).toMatchObject({ $metadata: { attempts: 1 } });
  }
});

it("an outage of minutes does not triple the requests: the retries of a client have a quota", async () => {
  const attempts: number[] = [];
  for (let call = 0; call < 40; call++) {
    server.requests.length = 0;
    server.answers.push(...Array(3).fill({ status: 500, body: "{}" }));
    await clients.lean.dynamodb.send(get()).catch(() => {});
    attempts.push(server.requests.length);
    server.answers.length = 0;
  }
  expect(attempts.slice(0, 17)).toEqual(Array(17).fill(3));
  expect(attempts.slice(18)).toEqual(Array(22).fill(1));
});

it("a caller that aborts gets an AbortError, and no attempt follows", async () => {
  for (const which of ["sdk", "lean"] as const) {
    server.requests.length = 0;
    server.answers.length = 0;
    server.answers.push("silence");
    const abort = new AbortController();
    const call = clients[which].dynamodb.send(get(), { abortSignal: abort.signal });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    abort.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(1);
    const late = clients[which].dynamodb.send(get(), { abortSignal: abort.signal });
    await expect(late).rejects.toMatchObject({ name: "AbortError" });
    expect(server.requests).toHaveLength(1);
  }
});

describe("tables of the lean client", () => {
  // As `openTable` makes it in a bundle.
  const table = (): Table => {
    const client = new DynamoDBClient(options);
    client.middlewareStack.use(callScopePlugin);
    return { name: "t", client: client as never };
  };

  it("a write at most once has an unknown outcome after a lost answer", async () => {
    server.answers.push("cut");
    const write = sendWrite(table(), update(Key, { add: { n: 1 } }), { atMostOnce: true });
    await expect(write).rejects.toMatchObject({ name: "UnknownOutcome" });
    expect(server.requests).toHaveLength(1);
  });

  it("a write at most once is repeated where the table refused it", async () => {
    server.answers.push(refused("ThrottlingException"));
    await sendWrite(table(), update(Key, { add: { n: 1 } }), { atMostOnce: true });
    expect(server.requests).toHaveLength(2);
  });

  it("no attempt begins once the invocation has answered", async () => {
    const { client } = table();
    let late: Promise<unknown> = Promise.resolve();
    server.answers.push("silence");
    await runInvocation(async () => {
      late = client.send(get());
      late.catch(() => {});
      await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    });
    await expect(late).rejects.toMatchObject({ name: "OutOfTime" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("clocks", () => {
  const HOUR: Millis = 60 * MINUTE;
  const dateOf = (time: Millis) => ({ date: new Date(time).toUTCString() });
  const sentAt = (index: number) => server.requests[index]?.headers["x-amz-date"];

  it("a wrong clock is corrected by the date of an answer, and the request is repeated", async () => {
    const expired = { ...(refused("InvalidSignatureException") as object), headers: dateOf(Date.now() + HOUR) };
    for (const which of ["sdk", "lean"] as const) {
      server.requests.length = 0;
      server.answers.push(expired);
      await clients[which].dynamodb.send(get());
      expect(server.requests).toHaveLength(2);
      const [first = "", second = ""] = [sentAt(0), sentAt(1)].map(String);
      expect(first.slice(0, 11)).not.toBe(second.slice(0, 11));
    }
  });

  it("a wrong clock is corrected by the date of a success, before anything fails", async () => {
    server.answers.push({ headers: dateOf(Date.now() - HOUR), body: "{}" });
    await clients.lean.dynamodb.send(get());
    await clients.lean.dynamodb.send(get());
    expect(String(sentAt(0)).slice(0, 11)).not.toBe(String(sentAt(1)).slice(0, 11));
  });

  it("a right clock is no reason to repeat what was refused", async () => {
    const failed = { ...(refused("ConditionalCheckFailedException") as object), headers: dateOf(Date.now()) };
    server.answers.push(failed);
    await expect(clients.lean.dynamodb.send(put())).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("sources of credentials", () => {
  const usedKey = () => /Credential=([^/]+)/.exec(server.requests.at(-1)?.headers.authorization ?? "")?.[1];
  const withoutCredentials = (): ClientOptions => {
    const { credentials: _, ...others } = options;
    return others;
  };

  it("credentials of the environment are read for each request", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "FIRST");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    vi.stubEnv("AWS_SESSION_TOKEN", "token 1");
    const client = new DynamoDBClient(withoutCredentials());
    await client.send(get());
    expect([usedKey(), server.requests[0]?.headers["x-amz-security-token"]]).toEqual(["FIRST", "token 1"]);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "SECOND");
    vi.stubEnv("AWS_SESSION_TOKEN", "token 2");
    await client.send(get());
    expect([usedKey(), server.requests[1]?.headers["x-amz-security-token"]]).toEqual(["SECOND", "token 2"]);
  });

  it("missing credentials are a CredentialsProviderError, as with the SDK", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "");
    const client = new DynamoDBClient(withoutCredentials());
    await expect(client.send(get())).rejects.toMatchObject({ name: "CredentialsProviderError" });
    expect(server.requests).toHaveLength(0);
  });

  it("credentials of a container are fetched with its token, and replaced five minutes before they expire", async () => {
    let fetches = 0;
    let lifetime: Millis = HOUR_AND_MORE;
    let status = 200;
    const source = createServer(({ headers }, response) => {
      fetches += 1;
      const body = {
        AccessKeyId: `${headers.authorization}${fetches}`,
        SecretAccessKey: "secret",
        Token: "token",
        Expiration: new Date(Date.now() + lifetime).toISOString(),
      };
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `http://127.0.0.1:${(source.address() as AddressInfo).port}/c`);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "KEY");
    const client = new DynamoDBClient(withoutCredentials());
    try {
      await client.send(get());
      await client.send(get());
      expect([usedKey(), fetches]).toEqual(["KEY1", 1]);
      lifetime = 4 * MINUTE;
      await client.config.credentials({ forceRefresh: true });
      expect(fetches).toBe(2);
      await client.send(get());
      expect([usedKey(), fetches]).toEqual(["KEY3", 3]);
      // What still works for four minutes is used while there is nothing better.
      status = 500;
      await client.send(get());
      expect([usedKey(), fetches]).toEqual(["KEY3", 4]);
    } finally {
      source.close();
      source.closeAllConnections();
    }
  });
});

const HOUR_AND_MORE: Millis = 70 * MINUTE;
