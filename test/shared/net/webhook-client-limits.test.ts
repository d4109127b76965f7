import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openPoster, requestTo } from "./posting.ts";
import { startReceiver } from "./receiver.ts";

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
function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { given: promise, give: resolve };
}

/** A receiver that never answers. @returns when it has the request */
async function silentReceiver() {
  const taken = signal();
  const { port } = await startReceiver(taken.give);
  return { url: `http://127.0.0.1:${port}/`, taken: taken.given };
}

/** A host that takes connections and says nothing. @returns when it has one */
async function silentHost() {
  const taken = signal();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    taken.give();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken: taken.given };
}

/** One that is looked up and never found. @returns when it was asked for */
function silentName() {
  const asked = signal();
  const resolver = () => {
    asked.give();
    return new Promise<string[]>(() => {});
  };
  return { url: "https://hooks.example.com/", taken: asked.given, resolver };
}

test.each([
  ["an attempt that is never answered", "fifteen", 15_000, silentReceiver],
  ["an attempt whose host is never found", "fifteen", 15_000, silentName],
  ["an attempt whose host never finishes its handshake", "five", 5_000, silentHost],
] as const)("%s ends after %s seconds, and not before", async (_name, _words, after, open) => {
  const { url, taken, ...rest } = await open();
  let ended = false;
  const posted = openPoster(rest)
    .post(requestTo(url))
    .finally(() => {
      ended = true;
    });
  await taken;
  await vi.advanceTimersByTimeAsync(after - 1);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await posted).toMatchObject({ kind: "no_answer", error: "timeout" });
});
