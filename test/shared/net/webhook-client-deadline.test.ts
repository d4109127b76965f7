import { type AddressInfo, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openPoster, requestTo } from "./posting.ts";
import { type Answer, startReceiver } from "./receiver.ts";

const DEADLINE = 200;
/** Ample for a busy machine, and far below what any other limit would allow. */
const SLACK = 1_500;

const never: Answer = () => {};

const dripHeaders: Answer = (_response, _taken, socket) => {
  socket.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket.write("x-drip: 1\r\n"), 20);
  socket.on("close", () => clearInterval(timer));
};

const dripBody: Answer = (response, _taken, socket) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), 20);
  socket.on("close", () => clearInterval(timer));
};

const informAlways: Answer = (_response, _taken, socket) => {
  const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 20);
  socket.on("close", () => clearInterval(timer));
};

test.each([
  ["says nothing", never],
  ["drips its headers", dripHeaders],
  ["drips its body", dripBody],
  ["sends interim answers for ever", informAlways],
])("a receiver that %s is left at the deadline", async (_name, answer) => {
  const receiver = await startReceiver(answer);
  const begun = performance.now();
  const outcome = await openPoster({ attemptTimeout: DEADLINE }).post(requestTo(`http://127.0.0.1:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - begun).toBeGreaterThanOrEqual(DEADLINE - 20);
  expect(performance.now() - begun).toBeLessThan(DEADLINE + SLACK);
  expect(receiver.taken).toHaveLength(1);
});

test.each([
  ["says nothing", never],
  ["drips its body", dripBody],
])("the connection to a receiver that %s is broken at the deadline", async (_name, answer) => {
  let broken: (value: unknown) => void = () => {};
  const closed = new Promise((resolve) => {
    broken = resolve;
  });
  const receiver = await startReceiver((response, taken, socket) => {
    socket.on("close", broken);
    answer(response, taken, socket);
  });
  const poster = openPoster({ attemptTimeout: DEADLINE });
  await poster.post(requestTo(`http://127.0.0.1:${receiver.port}/`));
  // The poster is still open: it is the deadline that ends the connection.
  await closed;
});

test("an attempt that was answered leaves no timer behind", async () => {
  const receiver = await startReceiver((response) => response.end("ok"));
  const poster = openPoster();
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  for (let i = 0; i < 20; i++) await poster.post(requestTo(`http://127.0.0.1:${receiver.port}/`));
  expect(timers()).toBeLessThan(before + 20);
});

test("another status stands at the deadline, although its body never ends", async () => {
  const receiver = await startReceiver((response) => response.writeHead(500).write("."));
  const outcome = await openPoster({ attemptTimeout: DEADLINE }).post(requestTo(`http://127.0.0.1:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: "answered", status: 500 });
});

test("a look-up that hangs counts into the deadline", async () => {
  const poster = openPoster({ attemptTimeout: DEADLINE, resolver: () => new Promise(() => {}) });
  const begun = performance.now();
  const outcome = await poster.post(requestTo("https://hooks.example.com/"));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - begun).toBeLessThan(DEADLINE + SLACK);
});

test.each([
  ["the connect limit, when that comes first", { connectTimeout: DEADLINE }],
  ["the deadline, when that comes first", { attemptTimeout: DEADLINE }],
])("a TLS handshake that hangs ends at %s", async (_name, limits) => {
  const silent = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const begun = performance.now();
  const outcome = await openPoster(limits).post(requestTo(`https://127.0.0.1:${port}/`));
  expect(outcome).toMatchObject({ kind: "no_answer", error: "timeout" });
  expect(performance.now() - begun).toBeLessThan(DEADLINE + SLACK);
});

test("nothing is sent after the deadline, even when the look-up ends then", async () => {
  const receiver = await startReceiver((response) => response.end());
  let found: (addresses: string[]) => void = () => {};
  const lookup = new Promise<string[]>((resolve) => {
    found = resolve;
  });
  // A resolver deaf to its signal, and two attempts: the second's connection would be free to carry the first.
  const poster = openPoster({ attemptTimeout: 50, connectionsPerLane: 1, resolver: () => lookup });
  const url = `http://hooks.example.com:${receiver.port}/`;
  const outcomes = await Promise.all([poster.post(requestTo(url)), poster.post(requestTo(url))]);
  expect(outcomes).toMatchObject([{ error: "timeout" }, { error: "timeout" }]);
  found(["127.0.0.1"]);
  await wait(50);
  expect(receiver.taken).toEqual([]);
});

test("requests that wait for a slow receiver's connections end at their own deadline and are never sent", async () => {
  const receiver = await startReceiver(never);
  const poster = openPoster({ attemptTimeout: DEADLINE, connectionsPerLane: 2 });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => poster.post(requestTo(url))));
  expect(outcomes.every((outcome) => outcome.kind === "no_answer" && outcome.error === "timeout")).toBe(true);
  await wait(50);
  expect(receiver.taken).toHaveLength(2);
});

test("an endpoint that hangs holds up no other at its host, whatever its path", async () => {
  let answerAll = () => {};
  const all = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const receiver = await startReceiver((response, { url }) => {
    if (url === "/hang") void all.then(() => response.end());
    else response.end();
  });
  const poster = openPoster();
  const at = (path: string) => `http://127.0.0.1:${receiver.port}${path}`;
  const hung = Array.from({ length: 30 }, () => poster.post(requestTo(at("/hang"), "one")));
  const others = ["two", "three"].map((lane) => poster.post(requestTo(at("/well"), lane)));
  expect(await Promise.all(others)).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(receiver.taken.filter(({ url }) => url === "/hang")).toHaveLength(10);
  answerAll();
  await Promise.all(hung);
});

test("a slow receiver holds up no other", async () => {
  const slow = await startReceiver(never);
  const quick = await startReceiver((response) => response.end());
  const poster = openPoster({ attemptTimeout: 3_000 });
  let slowEnded = 0;
  const stuck = Array.from({ length: 30 }, () =>
    poster.post(requestTo(`http://127.0.0.1:${slow.port}/`)).finally(() => {
      slowEnded += 1;
    }),
  );
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, () => poster.post(requestTo(`http://127.0.0.1:${quick.port}/`))),
  );
  expect(outcomes.every((outcome) => outcome.kind === "answered" && outcome.status === 200)).toBe(true);
  expect(slowEnded).toBe(0);
  expect(slow.connections()).toBe(10);
  await Promise.all(stuck);
});

test("close lets the attempt under way end, and takes no further one", async () => {
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), 50));
  const poster = openPoster();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const running = poster.post(requestTo(url));
  await poster.close();
  expect(await running).toMatchObject({ kind: "answered", status: 200 });
  await expect(poster.post(requestTo(url))).rejects.toThrow("closed");
});
