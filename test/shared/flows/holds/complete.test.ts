import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeChallenge } from "../../../../shared/flows/holds/challenge.ts";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { lookAtHold } from "../../../../shared/flows/holds/view.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { SendOutcome } from "../../../../shared/platforms/platform.ts";
import { refused as refusedBy } from "../support/both-sides.ts";
import { CANARY, type HoldScene, newSource, openHoldScene, solve } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** The rows of holds that say what was held. */
async function heldTexts(): Promise<number> {
  const { Items = [] } = await house.table.client.send(new ScanCommand({ TableName: house.table.name }));
  return Items.filter((item) => item.PK.startsWith("H#") && JSON.stringify(item).includes(CANARY)).length;
}

const look = async (scene: HoldScene, holdId: string) =>
  lookAtHold(scene.checkPorts(), { holdId, secret: await scene.secret(holdId), sourceIp: newSource() }, house.now());

describe("the check", () => {
  it("shows the message to whoever has the secret, and sends it once the challenge is solved", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold({ replyTo: "m_before" });
    expect(await look(scene, made.id)).toMatchObject({ displayName: "this person" });
    await scene.personIsCalled("Mara Lindqvist");
    expect(await look(scene, made.id)).toMatchObject({
      displayName: "Mara Lindqvist",
      hold: { content: { kind: "text", text: CANARY }, expiresAt: made.expiresAt },
    });
    house.turn(MINUTE);
    const done = await scene.complete(made);
    const messageId = `${scene.tenant}-sent-1`;
    expect(done).toMatchObject({ state: { status: "sent", platformMessageId: messageId }, hold: { content: null } });
    expect(scene.calls).toMatchObject([
      { content: { kind: "text", text: CANARY }, humanAgent: true, replyTo: "m_before" },
    ]);
    expect(await scene.read(made.id)).toMatchObject({ state: { status: "sent", platformMessageId: messageId } });
    expect((await scene.messages())[0]).toMatchObject({
      id: messageId,
      direction: "outbound",
      sentVia: "api_human_agent",
      actorId: "console:usr_1",
      holdId: made.id,
    });
    expect(await scene.announced()).toMatchObject([{ ty: "message.sent" }]);
    expect(await scene.audits()).toMatchObject([
      { action: "hold.verify", resource: `hold:${made.id}`, actor: "system", ip: expect.stringMatching(/^198\./) },
      { action: "hold.create" },
    ]);
    expect(await heldTexts()).toBe(0);
  });

  it("is passed by a challenge that the hold itself was given", async () => {
    const scene = await openHoldScene(house, { scope: "test" });
    const made = await scene.hold();
    const request = { holdId: made.id, secret: await scene.secret(made.id), sourceIp: newSource() };
    const issued = await takeChallenge(scene.checkPorts(), request, house.now());
    if (isRefusal(issued)) throw new Error(issued.refused);
    expect(issued).toMatchObject({ challenge: { c: 50, s: 32, d: 3 }, expires: house.now() + 10 * MINUTE });
    const answer = { ...request, token: issued.token, solutions: solve(issued.token) };
    expect(await completeHold(scene.checkPorts(), answer, house.now)).toMatchObject({ state: { status: "sent" } });
  });

  it("of a hold that runs out within ten minutes gives a challenge no longer than that", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold();
    house.turn(7 * MINUTE);
    const request = { holdId: made.id, secret: await scene.secret(made.id), sourceIp: newSource() };
    expect(await takeChallenge(scene.checkPorts(), request, house.now())).toMatchObject({
      challenge: { d: 4 },
      expires: made.expiresAt,
    });
  });
});

describe("the policy of the moment", () => {
  it("if the person wrote meanwhile, the message goes out as a plain reply, without the tag", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold();
    await scene.personWrites(house.now());
    expect(await scene.complete(made)).toMatchObject({ state: { status: "sent" } });
    expect(scene.calls).toMatchObject([{ humanAgent: false }]);
    const sent = (await scene.messages()).find(({ direction }) => direction === "outbound");
    expect(sent).toMatchObject({ sentVia: "api_in_window", holdId: made.id, actorId: "console:usr_1" });
  });

  it.each([
    ["an hour", HOUR],
    ["ten minutes", 10 * MINUTE],
  ])("held %s before the seven days end, it is sent until the last millisecond of its time", async (_what, left) => {
    const scene = await openHoldScene(house, { wroteAgo: 7 * DAY - left });
    const made = await scene.hold();
    expect(made.expiresAt - house.now()).toBe(Math.min(15 * MINUTE, left));
    house.turn(made.expiresAt - house.now() - 1);
    expect(await scene.complete(made)).toMatchObject({ state: { status: "sent" } });
  });

  it("if the seven days end between the claim and the send, it fails and nothing is sent", async () => {
    const scene = await openHoldScene(house, { wroteAgo: 7 * DAY - 10 * MINUTE });
    const made = await scene.hold();
    house.turn(10 * MINUTE - 1);
    const ports = scene.checkPorts();
    const slow = {
      ...ports,
      audit: {
        add: async (...entry: Parameters<typeof ports.audit.add>) => {
          house.turn(1);
          return ports.audit.add(...entry);
        },
      },
    };
    expect(await scene.complete(made, slow)).toMatchObject({
      state: { status: "failed", error: { code: "human_agent_unavailable" } },
    });
    expect(scene.calls).toEqual([]);
  });

  it("what is no longer allowed fails, with the reason, and nothing is sent: the account gone, its token dead", async () => {
    const gone = await openHoldScene(house);
    const dead = await openHoldScene(house);
    const [first, second] = [await gone.hold(), await dead.hold()];
    const without = gone.checkPorts({ accounts: { ...gone.apiPorts().accounts, get: async () => null } });
    expect(await gone.complete(first, without)).toMatchObject({
      state: { status: "failed", error: { code: "account_not_found" } },
    });
    const { accounts } = dead.apiPorts();
    const withered = dead.checkPorts({
      accounts: {
        ...accounts,
        get: async (tenant, ref) => {
          const account = await accounts.get(tenant, ref);
          return account && { ...account, status: "needs_reauth" };
        },
      },
    });
    expect(await dead.complete(second, withered)).toMatchObject({
      state: { status: "failed", error: { code: "send_failed", detail: "needs_reauth" } },
    });
    expect([...gone.calls, ...dead.calls]).toEqual([]);
    for (const [scene, { id }] of [
      [gone, first],
      [dead, second],
    ] as const) {
      expect(await scene.read(id)).toMatchObject({ state: { status: "failed" }, hold: { content: null } });
      expect(await look(scene, id)).toMatchObject({ refused: "hold_failed", detail: "failed" });
    }
  });
});

describe("what the platform makes of it", () => {
  it("a refusal fails the hold with the platform's words, and is announced", async () => {
    const scene = await openHoldScene(house);
    scene.platformAnswers(async () => ({ ...(refusedBy as object), detail: "(#551) not available" }) as SendOutcome);
    const made = await scene.hold();
    const error = { code: "send_failed", detail: "(#551) not available" };
    expect(await scene.complete(made)).toMatchObject({ state: { status: "failed", error } });
    expect(await scene.read(made.id)).toMatchObject({ state: { status: "failed", error } });
    expect(await scene.announced()).toMatchObject([{ ty: "message.failed" }]);
    expect(await scene.complete(made)).toMatchObject({ refused: "hold_failed" });
    expect(scene.calls).toHaveLength(1);
  });

  it("no clear answer fails it as unknown, and so it stays though the message turns out to have gone out", async () => {
    const scene = await openHoldScene(house);
    scene.platformAnswers(async () => ({ kind: "unknown", detail: "outcome_unknown" }));
    const made = await scene.hold();
    const failed = { state: { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } } };
    expect(await scene.complete(made)).toMatchObject(failed);
    expect(await scene.complete(made)).toMatchObject({ refused: "hold_failed" });
    expect(scene.calls).toHaveLength(1);
    expect(await scene.read(made.id)).toMatchObject(failed);
  });

  it("when it takes its time the answer is that the message is being sent; it ends by itself", async () => {
    const scene = await openHoldScene(house);
    const answered = Promise.withResolvers<SendOutcome>();
    scene.platformAnswers(() => answered.promise);
    const made = await scene.hold();
    const impatient = scene.checkPorts({ upTo: async () => "late" });
    expect(await scene.complete(made, impatient)).toMatchObject({ state: { status: "sending" } });
    await expect.poll(() => scene.calls.length).toBe(1);
    expect(await look(scene, made.id)).toMatchObject({ refused: "hold_sending", detail: "sending" });
    expect(await scene.complete(made)).toMatchObject({ refused: "hold_sending" });
    house.turn(60 * SECOND);
    expect(await scene.read(made.id)).toMatchObject({ state: { status: "sending" } });
    answered.resolve({ kind: "accepted", messageId: `${scene.tenant}-late` });
    await expect.poll(async () => scene.read(made.id)).toMatchObject({ state: { status: "sent" } });
    expect(scene.calls).toHaveLength(1);
  });

  it("after a minute it counts as failed for good, also if the answer comes after all", async () => {
    const scene = await openHoldScene(house);
    const answered = Promise.withResolvers<SendOutcome>();
    scene.platformAnswers(() => answered.promise);
    const made = await scene.hold();
    await scene.complete(made, scene.checkPorts({ upTo: async () => "late" }));
    await expect.poll(() => scene.calls.length).toBe(1);
    house.turn(60 * SECOND + 1);
    const failed = { state: { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } } };
    expect(await scene.read(made.id)).toMatchObject(failed);
    expect(await scene.complete(made)).toMatchObject({ refused: "hold_failed", detail: "failed" });
    answered.resolve({ kind: "accepted", messageId: `${scene.tenant}-late` });
    await expect.poll(async () => (await scene.messages()).map(({ id }) => id)).toContain(`${scene.tenant}-late`);
    expect(await scene.messages()).toContainEqual(
      expect.objectContaining({ id: `${scene.tenant}-late`, holdId: made.id, direction: "outbound" }),
    );
    expect(await scene.announced()).toContainEqual(expect.objectContaining({ ty: "message.sent" }));
    expect(await scene.read(made.id)).toMatchObject(failed);
    expect(scene.calls).toHaveLength(1);
  });
});

it("a completion waits ten seconds for the platform", async () => {
  const scene = await openHoldScene(house);
  const spans: number[] = [];
  const upTo = async (span: number) => {
    spans.push(span);
    return "late" as const;
  };
  expect(await scene.complete(await scene.hold(), scene.checkPorts({ upTo }))).toMatchObject({
    state: { status: "sending" },
  });
  expect(spans).toEqual([10 * SECOND]);
  await expect.poll(() => scene.calls.length).toBe(1);
});

it("the message of a test hold reaches nobody: the mock takes it", async () => {
  const scene = await openHoldScene(house, { scope: "test" });
  const made = await scene.hold();
  const mocked = { status: "sent", platformMessageId: expect.stringMatching(/^mock_mid_/) };
  expect(await scene.complete(made)).toMatchObject({ state: mocked });
  expect(scene.calls).toEqual([]);
  expect((await scene.messages()).find(({ direction }) => direction === "outbound")).toMatchObject({ scope: "test" });
});

it("after the platform refused the human agent's tag messages are held as before, and are sent once it takes them", async () => {
  const scene = await openHoldScene(house);
  const refusal = { ...(refusedBy as object), humanAgentRefused: true } as SendOutcome;
  scene.platformAnswers(async () => refusal);
  expect(await scene.complete(await scene.hold())).toMatchObject({
    state: { status: "failed", error: { code: "send_failed" } },
  });
  scene.platformAnswers(async () => ({ kind: "accepted", messageId: `${scene.tenant}-tagged` }));
  expect(await scene.complete(await scene.hold())).toMatchObject({ state: { status: "sent" } });
});

describe("a fault of our own", () => {
  it.each(["events", "outboundMessages"] as const)(
    "after the platform took the message (%s): it is not sent again, and the hold says that it was sent",
    async (store) => {
      const scene = await openHoldScene(house);
      const made = await scene.hold();
      const no = () => Promise.reject(new Error("injected: no"));
      const sick = { events: { ...scene.apiPorts().events, send: no }, outboundMessages: { record: no } };
      const ports = scene.checkPorts({ [store]: sick[store] });
      expect(await scene.complete(made, ports)).toMatchObject({ state: { status: "sent" } });
      expect(scene.calls).toHaveLength(1);
    },
  );

  it("that leaves its record unasked after the platform took the message: the hold says that nobody knows", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold();
    const no = () => Promise.reject(new Error("injected: no"));
    const { sendRecords } = scene.apiPorts();
    const ports = scene.checkPorts({ sendRecords: { ...sendRecords, settle: no, get: no } });
    expect(await scene.complete(made, ports)).toMatchObject({
      state: { status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } },
    });
    expect(scene.calls).toHaveLength(1);
  });

  it.each(["audit.add", "conversations.get", "budgets.get", "vault.open", "dueSends.put", "sendRecords.begin"])(
    "before anything left (%s): the hold has failed at once as that, and nothing is sent",
    async (call) => {
      const scene = await openHoldScene(house);
      const made = await scene.hold();
      const [store = "", name = ""] = call.split(".");
      const ports = scene.checkPorts();
      let calls = 0;
      const real = ports[store as keyof typeof ports] as unknown as Record<string, (...given: unknown[]) => unknown>;
      // The page asks for the conversation before the hold is claimed.
      const no = (...given: unknown[]) =>
        call === "conversations.get" && calls++ === 0
          ? real[name]?.(...given)
          : Promise.reject(new Error("injected: no"));
      const failed = { state: { status: "failed", error: { code: "internal_error" } } };
      expect(await scene.complete(made, { ...ports, [store]: { ...real, [name]: no } })).toMatchObject(failed);
      expect(await scene.read(made.id)).toMatchObject(failed);
      expect(scene.calls).toEqual([]);
    },
  );
});
