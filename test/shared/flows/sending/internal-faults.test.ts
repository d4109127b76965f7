import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ApiPorts } from "../../../../functions/routes/api-endpoint.ts";
import { performSend } from "../../../../shared/flows/sending/perform.ts";
import { planSend } from "../../../../shared/flows/sending/plan.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { unknownOutcome } from "../support/conversation-fixture.ts";
import { openReplyFixture, type ReplyFixture, refusedWith } from "../support/reply-fixture.ts";
import { openTestEnv, type TestEnv } from "../support/test-env.ts";

// What a caller is told where something of ours fails: a fault only while nothing has left.

let testEnv: TestEnv;
let fixture: ReplyFixture;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  testEnv.advance(MINUTE);
  fixture = await openReplyFixture(testEnv);
});

const rejectInjected = () => Promise.reject(new Error("injected: no"));
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
async function advancePastDue(): Promise<void> {
  testEnv.advance(61 * SECOND);
  await fixture.sweepSends();
}

describe("a reply that the platform took", () => {
  it.each(["outboundMessages.record", "conversations.advanceHead", "events.send", "dueSends.remove"] as const)(
    "is answered as sent though %s fails, and is announced a minute later at the latest",
    async (call) => {
      const result = await fixture.sendReply({}, "live", portsWithout(call));
      expect(result).toEqual({ messageId: `mid-of-${fixture.asked[0]?.metadata}` });
      await advancePastDue();
      expect(await eventTypes()).toEqual(["message.sent"]);
      expect(fixture.asked).toHaveLength(1);
      expect(await fixture.dueItems()).toEqual([]);
    },
  );

  it.each([
    ["settled", ["sendRecords.settle"]],
    ["settled or asked about", ["sendRecords.settle", "sendRecords.get"]],
  ] as const)(
    "is answered and told as unknown where its record cannot be %s; its echo ends it as sent",
    async (_what, calls) => {
      expect(await fixture.sendReply({}, "live", portsWithout(...calls))).toEqual(outcomeUnknown);
      await advancePastDue();
      expect(await eventTypes()).toEqual(["message.failed"]);
      await fixture.echo(`${fixture.tenant}-out`, "hi");
      expect(await eventTypes()).toEqual(["message.failed", "message.sent"]);
      expect(fixture.asked).toHaveLength(1);
    },
  );
});

it("a reply that the platform refused is answered with its words, whatever fails once they are on record", async () => {
  fixture.setPlatformResponse(refusedWith({ detail: "no such person", coolDownMs: MINUTE }));
  for (const call of ["budgets.pauseAccount", "eventBodies.recordRef", "events.send"] as const) {
    fixture = await openReplyFixture(testEnv);
    fixture.setPlatformResponse(refusedWith({ detail: "no such person", coolDownMs: MINUTE }));
    const refused = { refused: "send_failed", detail: "no such person" };
    expect(await fixture.sendReply({}, "live", portsWithout(call))).toEqual(refused);
    await advancePastDue();
    expect(await eventTypes()).toEqual(["message.failed"]);
  }
});

it("a reply whose outcome is unknown is answered so, though that cannot be kept", async () => {
  fixture.setPlatformResponse(unknownOutcome);
  expect(await fixture.sendReply({}, "live", portsWithout("sendRecords.settle"))).toEqual(outcomeUnknown);
  await advancePastDue();
  expect(await eventTypes()).toEqual(["message.failed"]);
});

it("a platform's client that fails itself leaves the outcome unknown", async () => {
  fixture.setPlatformResponse(() => Promise.reject(new Error("injected: a mistake of ours")));
  expect(await fixture.sendReply()).toEqual(outcomeUnknown);
});

it.each([["vault.open"], ["dueSends.put"], ["sendRecords.start"], ["sendRecords.start", "sendRecords.get"]] as const)(
  "a fault before anything left is a fault: %s",
  async (...calls) => {
    await expect(fixture.sendReply({}, "live", portsWithout(...calls))).rejects.toThrow("injected");
    expect([fixture.asked, await fixture.records()]).toEqual([[], []]);
    await advancePastDue();
    expect([await eventTypes(), await fixture.dueItems()]).toEqual([[], []]);
  },
);

it("a send whose beginning was written and whose answer was lost for good is told as unknown, like its event", async () => {
  const ports = fixture.ports();
  const startRecord: typeof ports.sendRecords.start = async (...startArgs) => {
    await ports.sendRecords.start(...startArgs);
    return rejectInjected();
  };
  expect(
    await fixture.sendReply({}, "live", { ...ports, sendRecords: { ...ports.sendRecords, start: startRecord } }),
  ).toEqual(outcomeUnknown);
  expect(fixture.asked).toEqual([]);
  await advancePastDue();
  expect(await eventTypes()).toEqual(["message.failed"]);
});

describe("with a key", () => {
  const keyed = (from?: ApiPorts) => fixture.sendReply({ idempotencyKey: "k" }, "live", from);

  it("an answer that cannot be kept is given all the same, and again once a minute is over", async () => {
    const first = await keyed(portsWithout("idempotencyKeys.saveResult"));
    expect(first).toHaveProperty("messageId");
    expect(await keyed()).toMatchObject({ refused: "idempotency_conflict" });
    testEnv.advance(MINUTE);
    expect(await keyed()).toEqual(first);
    expect(fixture.asked).toHaveLength(1);
  });

  it.each([2 * MINUTE, 20 * MINUTE])(
    "a send that was not begun is begun anew %d ms later, and its echo finds it",
    async (later) => {
      await expect(keyed(portsWithout("sendRecords.start"))).rejects.toThrow("injected");
      testEnv.advance(later);
      fixture.setPlatformResponse(unknownOutcome);
      expect(await keyed()).toEqual(outcomeUnknown);
      testEnv.advance(SECOND);
      await fixture.echo(`${fixture.tenant}-out`, "hi");
      await advancePastDue();
      expect(await eventTypes()).toEqual(["message.sent"]);
      expect(await fixture.records()).toMatchObject([{ st: "sent", m: `${fixture.tenant}-out` }]);
      expect((await fixture.messageRows())[0]?.message).toMatchObject({
        direction: "outbound",
        sentVia: "api_in_window",
      });
    },
  );

  it("of two that take it over at once one sends", async () => {
    await expect(keyed(portsWithout("sendRecords.start"))).rejects.toThrow("injected");
    testEnv.advance(20 * MINUTE);
    const results = await Promise.all([keyed(), keyed(), keyed()]);
    expect(results.filter((one) => "messageId" in one)).toHaveLength(1);
    expect(results.filter((one) => !("messageId" in one))).toEqual(
      Array(2).fill({ refused: "idempotency_conflict", detail: "in_flight" }),
    );
    expect(fixture.asked).toHaveLength(1);
  });

  it("a process that slept on its way begins nothing once another may have taken its key over", async () => {
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
    expect(fixture.asked).toHaveLength(1);
    expect(await keyed()).toEqual(second);
  });
});

it("a second try under one id, made later, leaves no text behind that an erasure would miss", async () => {
  const request = { scope: "live", mayUse: () => true, conversationId: fixture.id, text: "hi", replyTo: null } as const;
  const planned = await planSend(fixture.ports(), { ...request, kind: "reply", actorId: null }, testEnv.now());
  if (isRefusal(planned)) throw new Error(planned.refused);
  const id = newUlid(testEnv.now());
  fixture.setPlatformResponse(unknownOutcome);
  await performSend(fixture.ports(), planned, id, testEnv.now);
  testEnv.advance(5);
  await performSend(fixture.ports(), planned, id, testEnv.now);
  expect(await fixture.dueItems()).toHaveLength(1);
  await fixture.eraseConversation();
  expect(await fixture.dueItems()).toEqual([]);
});
