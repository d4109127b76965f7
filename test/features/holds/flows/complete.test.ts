import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { SendOutcome } from "#platforms/graph/platform.ts";
import { refusedOutcome as refusedBy } from "../../../support/flows/conversation-fixture.ts";
import { CANARY, openHoldFixture, solveChallenge } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

/** The time of a request that must answer before its work has ended. */
const endedTime = () => ({ ...startRequestTime(testEnv.now), waitFor: async () => "late" as const });
const testEnv = openedOnce(openTestEnv);

/** The number of hold rows that contain the message. */
async function countHeldTexts(): Promise<number> {
  const { Items = [] } = await testEnv.table.client.send(new ScanCommand({ TableName: testEnv.table.name }));
  return Items.filter((item) => item.PK.startsWith("H#") && JSON.stringify(item).includes(CANARY)).length;
}

it("the check shows the message to a caller with the secret, and sends it when the challenge is solved", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold({ replyTo: "m_before" });
  expect(await fixture.view(hold.id)).toMatchObject({
    displayName: "this person",
    participantUsername: null,
  });
  await fixture.setPersonProfile({ handle: "mara.l", username: "mara.l" });
  expect(await fixture.view(hold.id)).toMatchObject({ displayName: "mara.l" });
  await fixture.setPersonProfile({ handle: "mara.l", username: "mara.l", name: "Mara Lindqvist" });
  expect(await fixture.view(hold.id)).toMatchObject({
    displayName: "Mara Lindqvist",
    participantUsername: "mara.l",
    accountHandle: "@shop",
    hold: { content: { kind: "text", text: CANARY }, expiresAt: hold.expiresAt },
  });
  testEnv.advance(MINUTE);
  const done = await fixture.complete(hold);
  const messageId = `${fixture.tenant}-sent-1`;
  expect(done).toMatchObject({ state: { status: "sent", platformMessageId: messageId }, hold: { content: null } });
  expect(fixture.calls).toMatchObject([
    { content: { kind: "text", text: CANARY }, humanAgent: true, replyTo: "m_before" },
  ]);
  expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "sent", platformMessageId: messageId } });
  expect((await fixture.messages())[0]).toMatchObject({
    id: messageId,
    direction: "outbound",
    sentVia: "api_human_agent",
    actorId: "console:usr_1",
    holdId: hold.id,
  });
  expect(await fixture.publishedEvents()).toMatchObject([{ event_type: "message.sent" }]);
  expect(await fixture.auditEntries()).toMatchObject([
    { action: "hold.verify", resource: `hold:${hold.id}`, actor: "system", ip: expect.stringMatching(/^198\./) },
    { action: "hold.create" },
  ]);
  expect(await countHeldTexts()).toBe(0);
});

it("the check passes with a challenge that was issued for the hold", async () => {
  const fixture = await openHoldFixture(testEnv, { scope: "test" });
  const hold = await fixture.newHold();
  const issued = await fixture.challenge(hold.id);
  if (isRefusal(issued)) throw new Error(issued.refused);
  expect(issued).toMatchObject({ challenge: { c: 50, s: 32, d: 3 }, expires: testEnv.now() + 10 * MINUTE });
  const solved = { token: issued.token, solutions: solveChallenge(issued.token) };
  const answer = { ...(await fixture.solvedAnswer(hold)), ...solved };
  expect(await fixture.answer(answer)).toMatchObject({ state: { status: "sent" } });
});

it("the check limits a challenge to the remaining time of its hold", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold();
  testEnv.advance(7 * MINUTE);
  expect(await fixture.challenge(hold.id)).toMatchObject({
    challenge: { d: 4 },
    expires: hold.expiresAt,
  });
});

it("a held message is sent as a reply without the tag if the person wrote after the hold was created", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold();
  await fixture.personWrites(testEnv.now());
  expect(await fixture.complete(hold)).toMatchObject({ state: { status: "sent" } });
  expect(fixture.calls).toMatchObject([{ humanAgent: false }]);
  const sent = (await fixture.messages()).find(({ direction }) => direction === "outbound");
  expect(sent).toMatchObject({ sentVia: "api_in_window", holdId: hold.id, actorId: "console:usr_1" });
});

it.each([
  ["an hour", HOUR],
  ["ten minutes", 10 * MINUTE],
])(
  "a hold that was created %s before the end of the 7 days is sent until its last millisecond",
  async (_what, remaining) => {
    const fixture = await openHoldFixture(testEnv, { wroteAgo: 7 * DAY - remaining });
    const hold = await fixture.newHold();
    expect(hold.expiresAt - testEnv.now()).toBe(Math.min(15 * MINUTE, remaining));
    testEnv.advance(hold.expiresAt - testEnv.now() - 1);
    expect(await fixture.complete(hold)).toMatchObject({ state: { status: "sent" } });
  },
);

it("a hold fails without a send if the 7 days end between the claim and the send", async () => {
  const fixture = await openHoldFixture(testEnv, { wroteAgo: 7 * DAY - 10 * MINUTE });
  const hold = await fixture.newHold();
  testEnv.advance(10 * MINUTE - 1);
  const ports = fixture.checkPagePorts();
  const slow = {
    ...ports,
    audit: {
      add: async (...entry: Parameters<typeof ports.audit.add>) => {
        testEnv.advance(1);
        return ports.audit.add(...entry);
      },
    },
  };
  expect(await fixture.complete(hold, slow)).toMatchObject({
    state: { status: "failed", error: { code: "human_agent_unavailable" } },
  });
  expect(fixture.calls).toEqual([]);
});

it("a hold fails with the reason and without a send when the account is gone or needs reauthorization", async () => {
  const disconnected = await openHoldFixture(testEnv);
  const unauthorized = await openHoldFixture(testEnv);
  const [first, second] = [await disconnected.newHold(), await unauthorized.newHold()];
  const portsWithoutAccount = disconnected.checkPagePorts({
    accounts: { ...disconnected.apiPorts().accounts, get: async () => null },
  });
  expect(await disconnected.complete(first, portsWithoutAccount)).toMatchObject({
    state: { status: "failed", error: { code: "account_not_found" } },
  });
  const { accounts } = unauthorized.apiPorts();
  const portsWithDeadToken = unauthorized.checkPagePorts({
    accounts: {
      ...accounts,
      get: async (tenant, ref) => {
        const account = await accounts.get(tenant, ref);
        return account && { ...account, status: "needs_reauth" };
      },
    },
  });
  expect(await unauthorized.complete(second, portsWithDeadToken)).toMatchObject({
    state: { status: "failed", error: { code: "send_failed", detail: "needs_reauth" } },
  });
  expect([...disconnected.calls, ...unauthorized.calls]).toEqual([]);
  for (const [fixture, { id }] of [
    [disconnected, first],
    [unauthorized, second],
  ] as const) {
    expect(await fixture.read(id)).toMatchObject({ state: { status: "failed" }, hold: { content: null } });
    expect(await fixture.view(id)).toMatchObject({ refused: "hold_failed", detail: "failed" });
  }
});

it("a refusal of the platform fails the hold with its error text and is published", async () => {
  const fixture = await openHoldFixture(testEnv);
  fixture.setPlatformResponse(
    async () => ({ ...(refusedBy as object), detail: "(#551) not available" }) as SendOutcome,
  );
  const hold = await fixture.newHold();
  const error = { code: "send_failed", detail: "(#551) not available" };
  expect(await fixture.complete(hold)).toMatchObject({ state: { status: "failed", error } });
  expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "failed", error } });
  expect(await fixture.publishedEvents()).toMatchObject([{ event_type: "message.failed" }]);
  expect(await fixture.complete(hold)).toMatchObject({ refused: "hold_failed" });
  expect(fixture.calls).toHaveLength(1);
});

it("an unclear response of the platform fails the hold as unknown for good, even if the message was sent", async () => {
  const fixture = await openHoldFixture(testEnv);
  fixture.setPlatformResponse(async () => ({ kind: "unknown", detail: "outcome_unknown" }));
  const hold = await fixture.newHold();
  const failed = { state: { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } } };
  expect(await fixture.complete(hold)).toMatchObject(failed);
  expect(await fixture.complete(hold)).toMatchObject({ refused: "hold_failed" });
  expect(fixture.calls).toHaveLength(1);
  expect(await fixture.read(hold.id)).toMatchObject(failed);
});

it("a slow platform gives the state sending, and the hold ends later by itself", async () => {
  const fixture = await openHoldFixture(testEnv);
  const platformAnswer = Promise.withResolvers<SendOutcome>();
  fixture.setPlatformResponse(() => platformAnswer.promise);
  const hold = await fixture.newHold();
  expect(await fixture.complete(hold, fixture.checkPagePorts(), endedTime())).toMatchObject({
    state: { status: "sending" },
  });
  await expect.poll(() => fixture.calls.length).toBe(1);
  expect(await fixture.view(hold.id)).toMatchObject({ refused: "hold_sending", detail: "sending" });
  expect(await fixture.complete(hold)).toMatchObject({ refused: "hold_sending" });
  testEnv.advance(60 * SECOND);
  expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "sending" } });
  platformAnswer.resolve({ kind: "accepted", messageId: `${fixture.tenant}-late` });
  await expect.poll(async () => fixture.read(hold.id)).toMatchObject({ state: { status: "sent" } });
  expect(fixture.calls).toHaveLength(1);
});

it("a hold fails for good after a minute, even if the platform's response arrives later", async () => {
  const fixture = await openHoldFixture(testEnv);
  const platformAnswer = Promise.withResolvers<SendOutcome>();
  fixture.setPlatformResponse(() => platformAnswer.promise);
  const hold = await fixture.newHold();
  await fixture.complete(hold, fixture.checkPagePorts(), endedTime());
  await expect.poll(() => fixture.calls.length).toBe(1);
  testEnv.advance(60 * SECOND + 1);
  const failed = { state: { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } } };
  expect(await fixture.read(hold.id)).toMatchObject(failed);
  expect(await fixture.complete(hold)).toMatchObject({ refused: "hold_failed", detail: "failed" });
  platformAnswer.resolve({ kind: "accepted", messageId: `${fixture.tenant}-late` });
  await expect.poll(async () => (await fixture.messages()).map(({ id }) => id)).toContain(`${fixture.tenant}-late`);
  expect(await fixture.messages()).toContainEqual(
    expect.objectContaining({ id: `${fixture.tenant}-late`, holdId: hold.id, direction: "outbound" }),
  );
  expect(await fixture.publishedEvents()).toContainEqual(expect.objectContaining({ event_type: "message.sent" }));
  expect(await fixture.read(hold.id)).toMatchObject(failed);
  expect(fixture.calls).toHaveLength(1);
});

it("a test hold is sent to the mock platform and reaches no one", async () => {
  const fixture = await openHoldFixture(testEnv, { scope: "test" });
  const hold = await fixture.newHold();
  const mocked = { status: "sent", platformMessageId: expect.stringMatching(/^mock_mid_/) };
  expect(await fixture.complete(hold)).toMatchObject({ state: mocked });
  expect(fixture.calls).toEqual([]);
  expect((await fixture.messages()).find(({ direction }) => direction === "outbound")).toMatchObject({ scope: "test" });
});

it("messages are still held after the platform refused the human agent tag, and are sent when it accepts them", async () => {
  const fixture = await openHoldFixture(testEnv);
  const refusal = { ...(refusedBy as object), humanAgentRefused: true } as SendOutcome;
  fixture.setPlatformResponse(async () => refusal);
  expect(await fixture.complete(await fixture.newHold())).toMatchObject({
    state: { status: "failed", error: { code: "send_failed" } },
  });
  fixture.setPlatformResponse(async () => ({ kind: "accepted", messageId: `${fixture.tenant}-tagged` }));
  expect(await fixture.complete(await fixture.newHold())).toMatchObject({ state: { status: "sent" } });
});

it.each(["events", "outboundMessages"] as const)(
  "a fault of ours after the platform accepted the message (%s) sends nothing again and leaves the hold as sent",
  async (store) => {
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.newHold();
    const rejectInjected = () => Promise.reject(new Error("injected"));
    const failingPorts = {
      events: { ...fixture.apiPorts().events, send: rejectInjected },
      outboundMessages: { record: rejectInjected },
    };
    const ports = fixture.checkPagePorts({ [store]: failingPorts[store] });
    expect(await fixture.complete(hold, ports)).toMatchObject({ state: { status: "sent" } });
    expect(fixture.calls).toHaveLength(1);
  },
);

it("a fault of ours that makes the record unreadable after the platform accepted the message leaves the outcome unknown", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold();
  const rejectInjected = () => Promise.reject(new Error("injected"));
  const { sendRecords } = fixture.apiPorts();
  const ports = fixture.checkPagePorts({
    sendRecords: { ...sendRecords, settleSend: rejectInjected, get: rejectInjected },
  });
  expect(await fixture.complete(hold, ports)).toMatchObject({
    state: { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } },
  });
  expect(fixture.calls).toHaveLength(1);
});

it.each(["audit.add", "conversations.get", "budgets.get", "vault.open", "dueSends.put", "sendRecords.start"])(
  "a fault of ours before the platform call (%s) fails the hold at once as internal_error, and nothing is sent",
  async (call) => {
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.newHold();
    const [store = "", name = ""] = call.split(".");
    const ports = fixture.checkPagePorts();
    let calls = 0;
    const real = ports[store as keyof typeof ports] as unknown as Record<string, (...args: unknown[]) => unknown>;
    // The completion reads the conversation once before it claims the hold.
    const rejectInjected = (...args: unknown[]) =>
      call === "conversations.get" && calls++ === 0 ? real[name]?.(...args) : Promise.reject(new Error("injected"));
    const failed = { state: { status: "failed", error: { code: "internal_error" } } };
    expect(await fixture.complete(hold, { ...ports, [store]: { ...real, [name]: rejectInjected } })).toMatchObject(
      failed,
    );
    expect(await fixture.read(hold.id)).toMatchObject(failed);
    expect(fixture.calls).toEqual([]);
  },
);
