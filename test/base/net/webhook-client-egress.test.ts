import { describe, expect, test } from "vitest";
import { createGate, type Gate } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import { startReceiver } from "./receiver.ts";
import { closeAfterTest, openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

const PUBLIC = "93.184.215.14";

/** A gate whose name server returns each list once, in turn, and then repeats the last. */
function rebindingGate(mode: "public" | "open", port: number, addressSets: string[][]): Gate {
  let lookups = 0;
  return createGate({
    mode,
    ports: [port],
    resolver: async () => addressSets[Math.min(lookups++, addressSets.length - 1)] ?? [],
  });
}

test("a host whose address changes after it was checked is refused at the delivery, and its private address gets no connection", async () => {
  const receiver = await startReceiver((response) => response.end());
  const gate = rebindingGate("public", receiver.port, [[PUBLIC], ["127.0.0.1"]]);
  const url = `https://hooks.example.com:${receiver.port}/`;
  expect((await gate.checkAndResolve(url)).ok).toBe(true);
  expect(await closeAfterTest(createWebhookClient({ gate })).send(webhookRequest(url))).toEqual({
    kind: "refused_by_gate",
    reason: "The host does not resolve to a public address.",
  });
  expect(receiver.connections()).toBe(0);
});

test("a host whose address changes after it was checked would get a connection if the gate allowed it", async () => {
  const receiver = await startReceiver((response) => response.end());
  const gate = rebindingGate("open", receiver.port, [[PUBLIC], ["127.0.0.1"]]);
  const url = `http://hooks.example.com:${receiver.port}/`;
  await gate.checkAndResolve(url);
  expect(await closeAfterTest(createWebhookClient({ gate })).send(webhookRequest(url))).toMatchObject({
    status: 200,
  });
  expect(receiver.connections()).toBe(1);
});

test("a host whose address changes after it was checked is looked up once for a connection, which uses the address of that lookup", async () => {
  const receiver = await startReceiver((response) => response.end());
  // A second lookup, as a client with its own resolver would make it, would find no receiver.
  const gate = rebindingGate("open", receiver.port, [["127.0.0.1"], ["10.0.0.1"]]);
  const outcome = await closeAfterTest(createWebhookClient({ gate })).send(
    webhookRequest(`http://hooks.example.com:${receiver.port}/`),
  );
  expect(outcome).toMatchObject({ status: 200 });
  expect(receiver.requests[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`);
});

test("a host whose address changes after it was checked is checked again at the next connection", async () => {
  const receiver = await startReceiver((response) => response.setHeader("connection", "close").end());
  const gate = rebindingGate("open", receiver.port, [["127.0.0.1"], ["10.0.0.1"]]);
  const webhookClient = closeAfterTest(createWebhookClient({ gate }));
  const url = `http://hooks.example.com:${receiver.port}/`;
  expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ status: 200 });
  expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ kind: "refused_by_gate" });
  expect(receiver.connections()).toBe(1);
});

test("a host that mixes public and private addresses is refused without a connection", async () => {
  const receiver = await startReceiver((response) => response.end());
  const gate = rebindingGate("public", receiver.port, [["127.0.0.1", PUBLIC]]);
  const outcome = await closeAfterTest(createWebhookClient({ gate })).send(
    webhookRequest(`https://hooks.example.com:${receiver.port}/`),
  );
  expect(outcome.kind).toBe("refused_by_gate");
  expect(receiver.connections()).toBe(0);
});

test.each([
  "https://127.0.0.1:{port}/",
  "https://2130706433:{port}/",
  "https://0x7f.1:{port}/",
  "https://[::ffff:7f00:1]:{port}/",
])("a deployment never connects to %s", async (spelling) => {
  const receiver = await startReceiver((response) => response.end());
  const gate = createGate({ mode: "public", ports: [receiver.port] });
  const outcome = await closeAfterTest(createWebhookClient({ gate })).send(
    webhookRequest(spelling.replace("{port}", `${receiver.port}`)),
  );
  expect(outcome).toMatchObject({ kind: "refused_by_gate", reason: expect.stringContaining("IP addresses") });
  expect(receiver.connections()).toBe(0);
});

test.each([
  ["is unknown", () => Promise.reject(new Error("queryA ENOTFOUND"))],
  ["has no address", () => Promise.resolve([])],
])("a host that %s is a failed lookup, not a refusal", async (_name, resolver) => {
  const outcome = await openWebhookClient({ resolver }).send(webhookRequest("https://hooks.example.com/"));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "dns" });
});

test("the next address is used when one is unreachable", async () => {
  const receiver = await startReceiver((response) => response.end());
  // Nothing listens at the first address: the receiver is bound to 127.0.0.1 only.
  const webhookClient = openWebhookClient({ resolver: async () => ["127.0.0.2", "127.0.0.1"] });
  const url = `http://hooks.example.com:${receiver.port}/`;
  expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ status: 200 });
});

describe("reused connections", () => {
  test("two requests to one host use one connection and one lookup", async () => {
    const receiver = await startReceiver((response) => response.end("ok"));
    let lookups = 0;
    const resolver = async () => {
      lookups += 1;
      return ["127.0.0.1"];
    };
    const webhookClient = openWebhookClient({ resolver });
    const url = `http://hooks.example.com:${receiver.port}/`;
    expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ status: 200 });
    expect(await webhookClient.send(webhookRequest(`${url}other?path`))).toMatchObject({ status: 200 });
    expect([receiver.requests.length, receiver.connections(), lookups]).toEqual([2, 1, 1]);
  });

  test.each([
    [4_000, 1],
    [4_001, 2],
  ])("after %i ms idle by the clock, the second request makes it %i connections", async (idle, connections) => {
    let now = 1_000;
    const receiver = await startReceiver((response) => response.end());
    const webhookClient = openWebhookClient({ now: () => now });
    const url = `http://127.0.0.1:${receiver.port}/`;
    await webhookClient.send(webhookRequest(url));
    now += idle;
    expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(connections);
  });

  test("a connection is not reused after an aborted response", async () => {
    const receiver = await startReceiver((response) =>
      response.end(Buffer.alloc(receiver.requests.length === 1 ? 1e6 : 1)),
    );
    const webhookClient = openWebhookClient();
    const url = `http://127.0.0.1:${receiver.port}/`;
    expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ error: "too_large" });
    expect(await webhookClient.send(webhookRequest(url))).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(2);
  });

  test("an endpoint does not use the connections of another endpoint at its host", async () => {
    const receiver = await startReceiver((response) => response.end());
    const webhookClient = openWebhookClient();
    for (const poolKey of ["one", "two", "one"]) {
      await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`, poolKey));
    }
    expect([receiver.requests.length, receiver.connections()]).toEqual([3, 2]);
  });

  test("an endpoint whose host changes does not use the old host's connections", async () => {
    const receivers = await Promise.all([1, 2].map(() => startReceiver((response) => response.end())));
    const webhookClient = openWebhookClient();
    for (const { port } of receivers) await webhookClient.send(webhookRequest(`http://127.0.0.1:${port}/`));
    expect(receivers.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  test("the least recently used endpoint pool is closed when there are more than the limit", async () => {
    const receiver = await startReceiver((response) => response.end());
    const webhookClient = openWebhookClient({ poolsMax: 2 });
    const outcomes = [];
    for (const poolKey of ["a", "b", "a", "c", "a", "b"]) {
      expect(await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`, poolKey))).toMatchObject({
        status: 200,
      });
      outcomes.push(receiver.connections());
    }
    expect(outcomes).toEqual([1, 2, 2, 3, 3, 4]);
  });

  test("the longest idle connections are closed when there are more than the limit", async () => {
    const receiver = await startReceiver((response) => response.end());
    const webhookClient = openWebhookClient({ connectionsMax: 2 });
    const outcomes = [];
    for (const poolKey of ["a", "b", "c", "a", "c", "b"]) {
      expect(await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`, poolKey))).toMatchObject({
        status: 200,
      });
      outcomes.push(receiver.connections());
    }
    expect(outcomes).toEqual([1, 2, 3, 4, 4, 5]);
    await expect.poll(() => receiver.openConnections()).toBe(2);
  });

  test("connections in use are never closed to make room", async () => {
    const releases: (() => void)[] = [];
    const receiver = await startReceiver((response) => releases.push(() => void response.end()));
    const webhookClient = openWebhookClient({ connectionsMax: 1 });
    const post = (poolKey: string) => webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`, poolKey));
    const posts = ["a", "a", "b", "c"].map(post);
    await expect.poll(() => releases.length).toBe(4);
    for (const answer of releases.splice(0)) answer();
    for (const outcome of await Promise.all(posts)) expect(outcome).toMatchObject({ status: 200 });
    expect(receiver.connections()).toBe(4);
  });

  test("connections that failed or were closed make room for others", async () => {
    const receiver = await startReceiver((response) => response.end());
    const farewell = await startReceiver((response) => response.setHeader("connection", "close").end());
    const webhookClient = openWebhookClient({ connectionsMax: 2 });
    for (const _ of [1, 2, 3]) {
      expect(await webhookClient.send(webhookRequest("http://127.0.0.1:1/"))).toMatchObject({ error: "connect" });
      expect(await webhookClient.send(webhookRequest(`http://127.0.0.1:${farewell.port}/`))).toMatchObject({
        status: 200,
      });
    }
    expect(farewell.connections()).toBe(3);
    await expect.poll(() => farewell.openConnections()).toBe(0);
    for (const poolKey of ["a", "b", "a"])
      await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`, poolKey));
    expect([receiver.requests.length, receiver.connections()]).toEqual([3, 2]);
  });

  test("the least recently used origin is closed when there are more than the limit", async () => {
    const receivers = await Promise.all([1, 2, 3].map(() => startReceiver((response) => response.end())));
    const webhookClient = openWebhookClient({ poolsMax: 2 });
    const post = (index: number) => webhookClient.send(webhookRequest(`http://127.0.0.1:${receivers[index]?.port}/`));
    for (const index of [0, 1, 0, 2, 0, 1]) expect(await post(index)).toMatchObject({ status: 200 });
    expect(receivers.map((receiver) => receiver.connections())).toEqual([1, 2, 1]);
  });

  test("an origin that is closed while it responds still returns its response", async () => {
    const slow = await startReceiver((response) => setTimeout(() => response.end(), 100));
    const quick = await startReceiver((response) => response.end());
    const webhookClient = openWebhookClient({ poolsMax: 1 });
    const pending = webhookClient.send(webhookRequest(`http://127.0.0.1:${slow.port}/`));
    expect(await webhookClient.send(webhookRequest(`http://127.0.0.1:${quick.port}/`))).toMatchObject({ status: 200 });
    expect(await pending).toMatchObject({ status: 200 });
  });
});
