import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

// The default limits of the contract, written out. Only the timers of the client are faked: the receivers are real.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((after) => {
    const end = new AbortController();
    setTimeout(() => end.abort(), after);
    return end.signal;
  });
});
afterEach(() => {
  // An attempt in progress would never end.
  vi.runOnlyPendingTimers();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

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
  ["an attempt without a response", "fifteen", 15_000, silentReceiver],
  ["an attempt whose lookup never ends", "fifteen", 15_000, silentName],
  ["an attempt whose TLS handshake never ends", "five", 5_000, silentHost],
] as const)("%s ends after %s seconds, and not before", async (_name, _words, after, open) => {
  const { url, connected, ...rest } = await open();
  let ended = false;
  const attempt = openWebhookClient(rest)
    .send(webhookRequest(url))
    .finally(() => {
      ended = true;
    });
  await connected;
  await vi.advanceTimersByTimeAsync(after - 1);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await attempt).toMatchObject({ kind: "no_answer", error: "timeout" });
});
