import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type Respond, startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

const DEADLINE = 200;
/** Long enough for a busy machine, and far below every other limit. */
const SLACK = 1_500;

const neverRespond: Respond = () => {};

const dripHeaders: Respond = (_response, _request, socket) => {
  socket.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket.write("x-drip: 1\r\n"), 20);
  socket.on("close", () => clearInterval(timer));
};

const dripBody: Respond = (response, _request, socket) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), 20);
  socket.on("close", () => clearInterval(timer));
};

const sendInformationalForever: Respond = (_response, _request, socket) => {
  const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 20);
  socket.on("close", () => clearInterval(timer));
};

test.each([
  ["says nothing", neverRespond],
  ["drips its headers", dripHeaders],
  ["drips its body", dripBody],
  ["sends interim responses forever", sendInformationalForever],
])("a call to a receiver that %s ends at the deadline", async (_name, answer) => {
  const receiver = await startReceiver(answer);
  const startedAt = performance.now();
  const outcome = await openWebhookClient({ attemptTimeout: DEADLINE }).send(
    webhookRequest(`http://127.0.0.1:${receiver.port}/`),
  );
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(DEADLINE - 20);
  expect(performance.now() - startedAt).toBeLessThan(DEADLINE + SLACK);
  expect(receiver.requests).toHaveLength(1);
});

test("a call ends at its own time limit when that is shorter than the client's", async () => {
  const receiver = await startReceiver(neverRespond);
  const startedAt = performance.now();
  const request = { ...webhookRequest(`http://127.0.0.1:${receiver.port}/`), answerTimeout: DEADLINE };
  expect(await openWebhookClient().send(request)).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - startedAt).toBeLessThan(DEADLINE + SLACK);
});

test.each([
  ["says nothing", neverRespond],
  ["drips its body", dripBody],
])("the connection to a receiver that %s is closed at the deadline", async (_name, answer) => {
  let broken: (value: unknown) => void = () => {};
  const closed = new Promise((resolve) => {
    broken = resolve;
  });
  const receiver = await startReceiver((response, received, socket) => {
    socket.on("close", broken);
    answer(response, received, socket);
  });
  const webhookClient = openWebhookClient({ attemptTimeout: DEADLINE });
  await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
  // The client is still open, so it is the deadline that ends the connection.
  await closed;
});

test("a completed attempt leaves no timer behind", async () => {
  const receiver = await startReceiver((response) => response.end("ok"));
  const webhookClient = openWebhookClient();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  for (let i = 0; i < 20; i++) await webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
  expect(timers()).toBeLessThan(before + 20);
});

test("another status stands at the deadline, although its body never ends", async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).write("."));
  const outcome = await openWebhookClient({ attemptTimeout: DEADLINE }).send(
    webhookRequest(`http://127.0.0.1:${receiver.port}/`),
  );
  expect(outcome).toMatchObject({ kind: "answered", status: 500 });
});

test("a lookup that hangs counts toward the deadline", async () => {
  const webhookClient = openWebhookClient({ attemptTimeout: DEADLINE, resolver: () => new Promise(() => {}) });
  const startedAt = performance.now();
  const outcome = await webhookClient.send(webhookRequest("https://hooks.example.com/"));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - startedAt).toBeLessThan(DEADLINE + SLACK);
});

test.each([
  ["the connect limit, when that comes first", { connectTimeout: DEADLINE }],
  ["the deadline, when that comes first", { attemptTimeout: DEADLINE }],
])("a TLS handshake that hangs ends at %s", async (_name, limits) => {
  const silent = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const startedAt = performance.now();
  const outcome = await openWebhookClient(limits).send(webhookRequest(`https://127.0.0.1:${port}/`));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - startedAt).toBeLessThan(DEADLINE + SLACK);
});

test("nothing is sent after the deadline, even when the lookup ends then", async () => {
  const receiver = await startReceiver((response) => response.end());
  let resolveLookup: (addresses: string[]) => void = () => {};
  const lookup = new Promise<string[]>((resolve) => {
    resolveLookup = resolve;
  });
  // A resolver that ignores its signal, and two attempts: the second one's connection could carry the first request.
  const webhookClient = openWebhookClient({ attemptTimeout: 50, connectionsPerPool: 1, resolver: () => lookup });
  const url = `http://hooks.example.com:${receiver.port}/`;
  const outcomes = await Promise.all([
    webhookClient.send(webhookRequest(url)),
    webhookClient.send(webhookRequest(url)),
  ]);
  expect(outcomes).toMatchObject([{ error: "timeout" }, { error: "timeout" }]);
  resolveLookup(["127.0.0.1"]);
  await wait(50);
  expect(receiver.requests).toEqual([]);
});

test("each request that waits for a slow receiver's connections ends at its own deadline and is never sent", async () => {
  const receiver = await startReceiver(neverRespond);
  const webhookClient = openWebhookClient({
    attemptTimeout: 5 * DEADLINE,
    connectTimeout: DEADLINE,
    connectionsPerPool: 2,
  });
  const request = webhookRequest(`http://127.0.0.1:${receiver.port}/`);
  const holders = [1, 2].map(() => webhookClient.send(request));
  const waiting = Array.from({ length: 6 }, () => webhookClient.send({ ...request, answerTimeout: DEADLINE }));
  const outcomes = await Promise.all([...waiting, ...holders]);
  expect(outcomes.every((outcome) => outcome.kind === "no_answer" && outcome.error === "timeout")).toBe(true);
  await wait(50);
  expect(receiver.requests).toHaveLength(2);
});

test("an endpoint that hangs delays no other endpoint at its host, on any path", async () => {
  let answerAll = () => {};
  const all = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const receiver = await startReceiver((response, { url }) => {
    if (url === "/hang") void all.then(() => response.end());
    else response.end();
  });
  const webhookClient = openWebhookClient();
  const at = (path: string) => `http://127.0.0.1:${receiver.port}${path}`;
  const hangingRequests = Array.from({ length: 30 }, () => webhookClient.send(webhookRequest(at("/hang"), "one")));
  const others = ["two", "three"].map((poolKey) => webhookClient.send(webhookRequest(at("/healthy"), poolKey)));
  expect(await Promise.all(others)).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(receiver.requests.filter(({ url }) => url === "/hang")).toHaveLength(10);
  answerAll();
  await Promise.all(hangingRequests);
});

test("a slow receiver delays no other receiver", async () => {
  const slow = await startReceiver(neverRespond);
  const quick = await startReceiver((response) => response.end());
  const webhookClient = openWebhookClient({ attemptTimeout: 3_000 });
  let slowEnded = 0;
  const hangingRequests = Array.from({ length: 30 }, () =>
    webhookClient.send(webhookRequest(`http://127.0.0.1:${slow.port}/`)).finally(() => {
      slowEnded += 1;
    }),
  );
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, () => webhookClient.send(webhookRequest(`http://127.0.0.1:${quick.port}/`))),
  );
  expect(outcomes.every((outcome) => outcome.kind === "answered" && outcome.status === 200)).toBe(true);
  expect(slowEnded).toBe(0);
  expect(slow.connections()).toBe(10);
  await Promise.all(hangingRequests);
});

test("`close` lets the current attempt complete and accepts no further one", async () => {
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), 50));
  const webhookClient = openWebhookClient();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const running = webhookClient.send(webhookRequest(url));
  await webhookClient.close();
  expect(await running).toMatchObject({ kind: "answered", status: 200 });
  await expect(webhookClient.send(webhookRequest(url))).rejects.toThrow("closed");
});
