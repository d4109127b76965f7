import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

// The contract's numbers, written out: what a poster does that is told none. Only its timers are turned; the receivers
// are real.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((after) => {
    const end = new AbortController();
    setTimeout(() => end.abort(), after);
    return end.signal;
  });
});
afterEach(() => {
  // What is under way still would never end.
  vi.runOnlyPendingTimers();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A promise, and what keeps it. */
function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise: promise, resolve: resolve };
}

/** A receiver that never answers. @returns when it has the request */
async function silentReceiver() {
  const connected = deferred();
  const { port } = await startReceiver(connected.resolve);
  return { url: `http://127.0.0.1:${port}/`, taken: connected.promise };
}

/** A host that takes connections and says nothing. @returns when it has one */
async function silentHost() {
  const connected = deferred();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    connected.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken: connected.promise };
}

/** One that is looked up and never found. @returns when it was asked for */
function silentName() {
  const looked = deferred();
  const resolver = () => {
    looked.resolve();
    return new Promise<string[]>(() => {});
  };
  return { url: "https://hooks.example.com/", taken: looked.promise, resolver };
}

test.each([
  ["an attempt that is never answered", "fifteen", 15_000, silentReceiver],
  ["an attempt whose host is never found", "fifteen", 15_000, silentName],
  ["an attempt whose host never finishes its handshake", "five", 5_000, silentHost],
] as const)("%s ends after %s seconds, and not before", async (_name, _words, after, open) => {
  const { url, taken: connected, ...rest } = await open();
  let ended = false;
  const posted = openWebhookClient(rest)
    .send(webhookRequest(url))
    .finally(() => {
      ended = true;
    });
  await connected;
  await vi.advanceTimersByTimeAsync(after - 1);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await posted).toMatchObject({ kind: "no_answer", error: "timeout" });
});
