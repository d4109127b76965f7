import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { LoopClock } from "#base/kernel/deadline.ts";
import { startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

// The default limits of the contract, written out. Only the timers of the client are faked: the receivers are real.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  // An attempt in progress would never end.
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
});

/** The faked time, in which the event loop is never blocked. */
const loopClock: LoopClock = {
  now: () => 0,
  after(delay, callback) {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};

/** A promise with its resolver. */
function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, resolve };
}

/** A receiver that never responds. @returns when it has the request */
async function silentReceiver() {
  const connected = deferred();
  const { port } = await startReceiver(connected.resolve);
  return { url: `http://127.0.0.1:${port}/`, connected: connected.promise };
}

/** A host that accepts connections and sends nothing. @returns when it has one */
async function silentHost() {
  const connected = deferred();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    connected.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, connected: connected.promise };
}

/** A host whose lookup never ends. @returns when it was looked up */
function silentName() {
  const lookedUp = deferred();
  const resolver = () => {
    lookedUp.resolve();
    return new Promise<string[]>(() => {});
  };
  return { url: "https://hooks.example.com/", connected: lookedUp.promise, resolver };
}

test.each([
  ["an attempt without a response", "fifteen", 15_000, silentReceiver, {}],
  ["an attempt whose lookup never ends", "fifteen", 15_000, silentName, {}],
  ["an attempt whose TLS handshake never ends", "five", 5_000, silentHost, {}],
  ["a sent request that may wait so long", "one and a half", 1_500, silentReceiver, { answerTimeout: 1_500 }],
  ["a lookup before an answer with a limit", "five", 5_000, silentName, { answerTimeout: 1_500 }],
] as const)("%s ends after %s seconds, and not before", async (_name, _words, after, open, limits) => {
  const { url, connected, ...rest } = await open();
  let ended = false;
  const attempt = openWebhookClient({ loopClock, ...rest })
    .send({ ...webhookRequest(url), ...limits })
    .finally(() => {
      ended = true;
    });
  await connected;
  await vi.advanceTimersByTimeAsync(after - 1);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await attempt).toMatchObject({ kind: "no_answer", error: "timeout" });
});
