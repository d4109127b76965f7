import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { refusedWith, replyFixtures } from "../../../support/flows/reply-fixture.ts";

// What a caller gets when a part of ours fails: an error only if nothing was sent.

const { testEnv, fixture, renew } = replyFixtures();

const rejectInjected = () => Promise.reject(new Error("injected"));
const outcomeUnknown = { refused: "outcome_unknown", detail: "outcome_unknown" };

/** Ports with some calls that always fail. */
function portsWithout(...calls: readonly `${string}.${string}`[]): ApiPorts {
  const ports: Record<string, Record<string, unknown>> = { ...fixture.ports() } as never;
  for (const call of calls) {
    const [store = "", name = ""] = call.split(".");
    if (typeof ports[store]?.[name] !== "function") throw new Error(`The ports have no ${call}.`);
    ports[store] = { ...ports[store], [name]: rejectInjected };
  }
  return ports as unknown as ApiPorts;
}

const eventTypes = async () => (await fixture.events()).map(({ type }) => type);

it.each(["outboundMessages.record", "conversations.advanceHead", "events.send", "dueSends.remove"] as const)(
  "an accepted reply returns sent although %s fails, and is published within a minute",
  async (call) => {
    const result = await fixture.sendReply({}, "live", portsWithout(call));
    expect(result).toEqual({ messageId: `mid-of-${fixture.platformCalls[0]?.metadata}` });
    await fixture.sweepPastDue();
    expect(await eventTypes()).toEqual(["message.sent"]);
    expect(fixture.platformCalls).toHaveLength(1);
    expect(await fixture.dueItems()).toEqual([]);
  },
);

it.each([
  ["settled", ["sendRecords.settleSend"]],
  ["settled or read", ["sendRecords.settleSend", "sendRecords.get"]],
] as const)(
  "an accepted reply has an unknown outcome if its record cannot be %s, and the echo settles it as sent",
  async (_what, calls) => {
    expect(await fixture.sendReply({}, "live", portsWithout(...calls))).toEqual(outcomeUnknown);
    await fixture.sweepPastDue();
    expect(await eventTypes()).toEqual(["message.failed"]);
    await fixture.echo(`${fixture.tenant}-out`, "hi");
    expect(await eventTypes()).toEqual(["message.failed", "message.sent"]);
    expect(fixture.platformCalls).toHaveLength(1);
  },
);

it("a refused reply returns the platform's error text if anything fails after its record is settled", async () => {
  fixture.setPlatformResponse(refusedWith({ detail: "no such person", coolDownMs: MINUTE }));
  for (const call of ["budgets.pauseAccount", "eventBodies.recordRef", "events.send"] as const) {
    await renew();
    fixture.setPlatformResponse(refusedWith({ detail: "no such person", coolDownMs: MINUTE }));
    const refused = { refused: "send_failed", detail: "no such person" };
    expect(await fixture.sendReply({}, "live", portsWithout(call))).toEqual(refused);
    await fixture.sweepPastDue();
    expect(await eventTypes()).toEqual(["message.failed"]);
  }
});

it("a reply with an unknown outcome returns it even if the record cannot be settled", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  expect(await fixture.sendReply({}, "live", portsWithout("sendRecords.settleSend"))).toEqual(outcomeUnknown);
  await fixture.sweepPastDue();
  expect(await eventTypes()).toEqual(["message.failed"]);
});

it("a fault of the platform client leaves the outcome unknown", async () => {
  fixture.setPlatformResponse(() => Promise.reject(new Error("injected")));
  expect(await fixture.sendReply()).toEqual(outcomeUnknown);
});

it.each(["vault.open", "dueSends.put", "sendRecords.start"] as const)(
  "a fault before the platform call is thrown: %s",
  async (call) => {
    await expect(fixture.sendReply({}, "live", portsWithout(call))).rejects.toThrow("injected");
    expect([fixture.platformCalls, await fixture.records()]).toEqual([[], []]);
    await fixture.sweepPastDue();
    expect([await eventTypes(), await fixture.dueItems()]).toEqual([[], []]);
  },
);

it("a send whose record may have been written and cannot be read has an unknown outcome, and nothing is sent", async () => {
  const ports = portsWithout("sendRecords.start", "sendRecords.get");
  expect(await fixture.sendReply({}, "live", ports)).toEqual(outcomeUnknown);
  expect([fixture.platformCalls, await fixture.records()]).toEqual([[], []]);
});

it("a send whose record was written but whose write response was lost has an unknown outcome", async () => {
  const ports = fixture.ports();
  const startRecord: typeof ports.sendRecords.start = async (...startArgs) => {
    await ports.sendRecords.start(...startArgs);
    return rejectInjected();
  };
  expect(
    await fixture.sendReply({}, "live", { ...ports, sendRecords: { ...ports.sendRecords, start: startRecord } }),
  ).toEqual(outcomeUnknown);
  expect(fixture.platformCalls).toEqual([]);
  await fixture.sweepPastDue();
  expect(await eventTypes()).toEqual(["message.failed"]);
});

const keyed = (from?: ApiPorts) => fixture.sendReply({ idempotencyKey: "k" }, "live", from);

it("with an idempotency key, a result that cannot be stored is still returned, and again after a minute", async () => {
  const first = await keyed(portsWithout("idempotencyKeys.saveResult"));
  expect(first).toHaveProperty("messageId");
  expect(await keyed()).toMatchObject({ refused: "idempotency_conflict" });
  testEnv.advance(MINUTE);
  expect(await keyed()).toEqual(first);
  expect(fixture.platformCalls).toHaveLength(1);
});

it.each([2 * MINUTE, 20 * MINUTE])(
  "a send with a key that was not started is started %d ms later, and its echo matches it",
  async (later) => {
    await expect(keyed(portsWithout("sendRecords.start"))).rejects.toThrow("injected");
    testEnv.advance(later);
    fixture.setPlatformResponse(unknownOutcome);
    expect(await keyed()).toEqual(outcomeUnknown);
    testEnv.advance(SECOND);
    await fixture.echo(`${fixture.tenant}-out`, "hi");
    await fixture.sweepPastDue();
    expect(await eventTypes()).toEqual(["message.sent"]);
    expect(await fixture.records()).toMatchObject([{ st: "sent", m: `${fixture.tenant}-out` }]);
    expect((await fixture.messageRows())[0]?.message).toMatchObject({
      direction: "outbound",
      sentVia: "api_in_window",
    });
  },
);

it("with an idempotency key, one of several requests that take over a key sends", async () => {
  await expect(keyed(portsWithout("sendRecords.start"))).rejects.toThrow("injected");
  testEnv.advance(20 * MINUTE);
  const results = await Promise.all([keyed(), keyed(), keyed()]);
  expect(results.filter((one) => "messageId" in one)).toHaveLength(1);
  expect(results.filter((one) => !("messageId" in one))).toEqual(
    Array(2).fill({ refused: "idempotency_conflict", detail: "in_flight" }),
  );
  expect(fixture.platformCalls).toHaveLength(1);
});

it("with an idempotency key, a process that slept does not start its send after another process may have taken over its key", async () => {
  const asleep = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  const ports = fixture.ports();
  const open: typeof ports.vault.open = async (...sealed) => {
    asleep.resolve();
    await woken.promise;
    return ports.vault.open(...sealed);
  };
  const first = keyed({ ...ports, vault: { ...ports.vault, open } }).catch((error: unknown) => error);
  await asleep.promise;
  testEnv.advance(MINUTE);
  const second = await keyed();
  expect(second).toHaveProperty("messageId");
  woken.resolve();
  expect(await first).toBeInstanceOf(Error);
  expect(fixture.platformCalls).toHaveLength(1);
  expect(await keyed()).toEqual(second);
});

it("a later try with the same id leaves no text that an erasure misses", async () => {
  const planned = await fixture.plan();
  const id = newUlid(testEnv.now());
  fixture.setPlatformResponse(unknownOutcome);
  await fixture.perform(planned, id);
  testEnv.advance(5);
  await fixture.perform(planned, id);
  expect(await fixture.dueItems()).toHaveLength(1);
  await fixture.eraseConversation();
  expect(await fixture.dueItems()).toEqual([]);
});
