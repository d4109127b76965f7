import { describe, expect, test, vi } from "vitest";
import { createReceiver, type EventStore, memoryStore, ParleyError, type ReceiverOptions } from "#receiver";
import { SECRET, signedRequest } from "./support/delivery.ts";

/** A receiver that records what it was given. */
function receiverFixture(options: Partial<ReceiverOptions> = {}) {
  const received: string[] = [];
  const errors: unknown[] = [];
  const receiver = createReceiver({
    secret: SECRET,
    store: memoryStore(),
    on: { "message.received": (event) => void received.push(`${event.id} ${event.data.message.text}`) },
    onError: (error, context) => errors.push({ error, ...context }),
    ...options,
  });
  return { receiver, received, errors };
}

test("a receiver processes a signed delivery once, and answers its repetitions with 204", async () => {
  const { receiver, received } = receiverFixture();
  const first = await receiver.handle(signedRequest("evt_1"));
  const second = await receiver.handle(signedRequest("evt_1", "message.received", { now: Date.now() + 60_000 }));
  expect(first).toMatchObject({ outcome: "processed", status: 204, body: "" });
  expect(second).toMatchObject({ outcome: "duplicate", status: 204 });
  expect(received).toEqual(["evt_1 Grüße 👩🏽‍🚀"]);
});

test("a receiver refuses a delivery of another secret, an old one and a changed one with 401, and processes none", async () => {
  const { receiver, received, errors } = receiverFixture();
  const other = `whs_${Buffer.alloc(32, 4).toString("base64")}`;
  const changed = { ...signedRequest("evt_1"), body: signedRequest("evt_2").body };
  const requests = [
    signedRequest("evt_1", "message.received", { secret: other }),
    signedRequest("evt_1", "message.received", { now: Date.now() - 302_000 }),
    changed,
    { method: "POST", headers: {}, body: changed.body },
  ];
  for (const request of requests) {
    expect(await receiver.handle(request)).toMatchObject({ outcome: "refused", status: 401 });
  }
  expect(received).toEqual([]);
  expect(errors).toEqual(
    requests.map(() =>
      expect.objectContaining({ eventId: null, error: expect.objectContaining({ code: "signature_invalid" }) }),
    ),
  );
});

test("a receiver accepts either of two secrets while its secret is rotated", async () => {
  const next = `whs_${Buffer.alloc(32, 5).toString("base64")}`;
  const { receiver } = receiverFixture({ secret: [SECRET, next] });
  for (const [id, secret] of [
    ["evt_1", SECRET],
    ["evt_2", next],
  ] as const) {
    expect(await receiver.handle(signedRequest(id, "message.received", { secret }))).toMatchObject({ status: 204 });
  }
});

test("an event of a type without a function is accepted, also one whose type is a name of Object", async () => {
  const { receiver, received } = receiverFixture();
  for (const type of ["message.sent", "later.type", "constructor", "toString"]) {
    expect(await receiver.handle(signedRequest(`evt_${type}`, type))).toMatchObject({
      outcome: "ignored",
      status: 204,
    });
  }
  expect(received).toEqual([]);
});

test("the function for other events gets what no function of a type takes", async () => {
  const others: string[] = [];
  const { receiver } = receiverFixture({ onOther: (event) => void others.push(event.type) });
  for (const type of ["message.received", "later.type"]) await receiver.handle(signedRequest(`evt_${type}`, type));
  expect(others).toEqual(["later.type"]);
});

test("an event whose function failed gets 500, is reported without its content, and its retry is processed", async () => {
  let calls = 0;
  const failure = new Error("The database is away.");
  const { receiver, errors } = receiverFixture({
    on: {
      "message.received": () => {
        calls += 1;
        if (calls === 1) throw failure;
      },
    },
  });
  const first = await receiver.handle(signedRequest("evt_1"));
  expect(first).toMatchObject({ outcome: "failed", status: 500 });
  expect(JSON.stringify(first)).not.toContain("database");
  expect(errors).toEqual([{ error: failure, eventId: "evt_1", eventType: "message.received" }]);
  expect(await receiver.handle(signedRequest("evt_1"))).toMatchObject({ outcome: "processed" });
  expect(calls).toBe(2);
});

describe("two deliveries of an event at the same time", () => {
  test("the second delivery waits for the first, and its event is processed once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    const { receiver } = receiverFixture({
      on: {
        "message.received": () => {
          calls += 1;
          return promise;
        },
      },
    });
    const both = [receiver.handle(signedRequest("evt_1")), receiver.handle(signedRequest("evt_1"))];
    setTimeout(resolve, 100);
    // Either may read its request first.
    expect((await Promise.all(both)).map(({ outcome }) => outcome).sort()).toEqual(["duplicate", "processed"]);
    expect(calls).toBe(1);
  });

  test("the second delivery is processed when the first one fails in the meantime", async () => {
    let calls = 0;
    const { receiver } = receiverFixture({
      on: {
        "message.received": async () => {
          calls += 1;
          if (calls > 1) return;
          await new Promise((resolve) => setTimeout(resolve, 50));
          throw new Error("once");
        },
      },
    });
    const both = [receiver.handle(signedRequest("evt_1")), receiver.handle(signedRequest("evt_1"))];
    expect((await Promise.all(both)).map(({ outcome }) => outcome).sort()).toEqual(["failed", "processed"]);
  });

  test("the second delivery gets 503 with Retry-After when the first one is not done in time", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const onMessage = () => {
      started.resolve();
      return promise;
    };
    const { receiver } = receiverFixture({ waitSeconds: 0.2, on: { "message.received": onMessage } });
    const first = receiver.handle(signedRequest("evt_1"));
    await started.promise;
    const second = await receiver.handle(signedRequest("evt_1"));
    expect(second).toMatchObject({ outcome: "busy", status: 503, headers: { "retry-after": "5" } });
    resolve();
    expect(await first).toMatchObject({ outcome: "processed" });
  });
});

test("a store that fails gives 500, so that Parley tries again", async () => {
  const failing = (name: keyof EventStore): EventStore => ({
    ...memoryStore(),
    [name]: () => Promise.reject(new Error(`${name} failed`)),
  });
  for (const name of ["claim", "complete"] as const) {
    const { receiver, errors } = receiverFixture({ store: failing(name) });
    expect(await receiver.handle(signedRequest("evt_1"))).toMatchObject({ outcome: "failed", status: 500 });
    expect(errors).toEqual([expect.objectContaining({ error: new Error(`${name} failed`), eventId: "evt_1" })]);
  }
});

test("the error of an event's function counts, also when the store does not release the event", async () => {
  const store = { ...memoryStore(), release: () => Promise.reject(new Error("release failed")) };
  const { receiver, errors } = receiverFixture({
    store,
    on: { "message.received": () => Promise.reject(new Error("function failed")) },
  });
  expect(await receiver.handle(signedRequest("evt_1"))).toMatchObject({ status: 500 });
  expect(errors.map((entry) => (entry as { error: Error }).error.message)).toEqual([
    "release failed",
    "function failed",
  ]);
});

test("an error is printed without the body unless the receiver has a function for it", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const { receiver } = receiverFixture({ onError: undefined });
  await receiver.handle({ ...signedRequest("evt_1"), headers: {} });
  expect(printed).toHaveBeenCalledOnce();
  expect(printed.mock.calls[0]?.[0]).toBe("Webhook receiver: a request failed.");
  expect(String(printed.mock.calls)).not.toContain("Grüße");
  printed.mockRestore();
});

test.each([undefined, "", "whs_", "secret", []])(
  "a receiver with the secret %j is refused when it is created",
  (secret) => {
    const create = () => createReceiver({ secret, store: memoryStore() });
    expect(create).toThrow(ParleyError);
    expect(create).toThrow(/^Missing or invalid signing secret\./);
  },
);

test("a receiver without a store is refused when it is created", () => {
  expect(() => createReceiver({ secret: SECRET } as never)).toThrow(/^Missing store\./);
});

test("a request with another method gets 405", async () => {
  const { receiver } = receiverFixture();
  expect(await receiver.handle({ ...signedRequest("evt_1"), method: "GET" })).toMatchObject({
    status: 405,
    headers: { allow: "POST" },
  });
});

describe("the store in memory", () => {
  test("the store in memory gives an event to one caller, and remembers it for the seconds of its completion", () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    expect(store.claim("evt_1", 10)).toBe("claimed");
    expect(store.claim("evt_1", 10)).toBe("processing");
    store.complete("evt_1", 100);
    expect(store.claim("evt_1", 10)).toBe("processed");
    now = 100_000;
    expect(store.claim("evt_1", 10)).toBe("claimed");
  });

  test("the store in memory ends a claim whose process did not finish, and one that was released", () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    expect(store.claim("evt_1", 10)).toBe("claimed");
    now = 10_000;
    expect(store.claim("evt_1", 10)).toBe("claimed");
    store.release("evt_1");
    expect(store.claim("evt_1", 10)).toBe("claimed");
  });

  test("the store in memory forgets the oldest events beyond its size", () => {
    const store = memoryStore({ maxEvents: 2 });
    for (const id of ["evt_1", "evt_2", "evt_3"]) {
      expect(store.claim(id, 10)).toBe("claimed");
      store.complete(id, 100);
    }
    expect(["evt_3", "evt_2", "evt_1"].map((id) => store.claim(id, 10))).toEqual(["processed", "processed", "claimed"]);
  });
});
