import { expect, test } from "vitest";
import { readyScenarios } from "../../../../packages/simulator/src/scenario-files.ts";
import { type Fields, startTestSimulator, startWebhookReceiver } from "../simulator-fixture.ts";

async function startBoth() {
  const receiver = await startWebhookReceiver();
  return { receiver, ...(await startTestSimulator(receiver.url)) };
}

const ready = await readyScenarios();

test("the package has a dozen scenarios, each with a title and a description", () => {
  expect(ready.size).toBeGreaterThanOrEqual(12);
  for (const { title, description } of ready.values())
    expect([title, description].every((text) => text.length > 5)).toBe(true);
  expect(new Set([...ready.values()].map(({ title }) => title)).size).toBe(ready.size);
});

test.each([...ready.keys()].filter((name) => name !== "flood"))(
  "the scenario %s completes on its platform, and every webhook of it is delivered",
  async (name) => {
    const { sim } = await startBoth();
    const { status, body } = await sim("/scenarios", { name });
    expect(body).toMatchObject({ scenario: name, state: "completed", person: ready.get(name)?.person });
    expect(status).toBe(200);
    expect(body.steps).toHaveLength(ready.get(name)?.steps.length ?? 0);
    const statuses = body.steps.flatMap(({ webhooks = {} }: Fields) => Object.keys(webhooks));
    expect(statuses.filter((one: string) => one !== "delivered")).toEqual([]);
  },
);

test("the scenario of the flood sends 500 messages of 50 people", async () => {
  const { sim, receiver, get } = await startBoth();
  const { body } = await sim("/scenarios", { name: "flood" });
  expect(body.steps).toMatchObject([{ do: "person-sends", count: 500, webhooks: { delivered: 500 } }]);
  expect(new Set(receiver.got.map((webhook) => webhook.body.entry[0].messaging[0].sender.id)).size).toBe(50);
  const { threads, scenario } = (await get("/_sim/state")).body;
  expect(threads).toHaveLength(50);
  expect(scenario).toEqual({
    scenario: "flood",
    title: "Flood of 500 messages",
    state: "completed",
    done: 500,
    of: 500,
    problem: null,
  });
});

test("a scenario of one's own names messages, counts its repetitions and acts on the account that is chosen", async () => {
  const { sim, receiver } = await startBoth();
  const scenario = {
    steps: [
      { do: "person-sends", text: "First", as: "first" },
      { do: "account-sends", text: "Answer", reply_to: "$first" },
      { do: "person-sends", kind: "unsend", mid: "$first" },
      { do: "person-sends", text: "No. {n}", repeat: 3, people: 2 },
      { do: "person-sends", kind: "image", attachments: [{ type: "image", url: "/media/a.png" }], person: "Zoe" },
    ],
  };
  const chosen = { account: "104512347788901", connection: "messenger", person: "Ada" };
  const { body } = await sim("/scenarios", { scenario, ...chosen });
  expect(body).toMatchObject({ ...chosen, scenario: "Scenario", state: "completed" });
  const messages = receiver.got.map((webhook) => webhook.body.entry[0].messaging[0].message);
  expect(messages[1].reply_to).toEqual({ mid: messages[0].mid });
  expect(messages[2]).toEqual({ mid: messages[0].mid, is_deleted: true });
  expect(
    messages
      .slice(3, 6)
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(["No. 1", "No. 2", "No. 3"]);
  const senders = receiver.got.slice(3, 6).map((webhook) => webhook.body.entry[0].messaging[0].sender.id);
  expect(new Set(senders).size).toBe(2);
  expect(messages[6].attachments[0].payload.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/media\/a\.png$/);
});

const step = { do: "person-sends", text: "Hello" };
test.each([
  [{}, "name must be one of ad-referral, all-clear"],
  [{ name: "flod" }, "name must be one of"],
  [{ name: "flood", scenario: { steps: [step] } }, "set one of name and scenario"],
  [{ scenario: [] }, "a scenario must be an object"],
  [{ scenario: { steps: [] } }, "steps must be a list of 1 to 100 steps"],
  [{ scenario: { steps: Array(101).fill(step) } }, "steps must be a list of 1 to 100 steps"],
  [{ scenario: { stepz: [] } }, 'unknown field "stepz"; the fields are: title, description, platform, person, steps'],
  [{ scenario: { steps: [step, { do: "fly" }] } }, "steps[1]: do must be one of person-sends, account-sends"],
  [{ scenario: { steps: [step, null] } }, "steps[1]: a step must be an object"],
  [{ scenario: { steps: [{ ...step, txt: "" }] } }, 'steps[0]: unknown field "txt"'],
  [{ scenario: { steps: [{ ...step, kind: "fax" }] } }, "steps[0]: kind must be one of text"],
  [{ scenario: { steps: [{ ...step, text: 7 }] } }, "steps[0]: text must be a string"],
  [{ scenario: { steps: [{ ...step, mid: "$later" }] } }, 'steps[0]: mid "$later" is the name of no earlier step'],
  [{ scenario: { steps: [{ ...step, as: "No!" }] } }, "steps[0]: as must be 1 to 30 lowercase letters"],
  [{ scenario: { steps: [{ ...step, repeat: 1001 }] } }, "steps[0]: repeat must be a whole number from 1 to 1000"],
  [{ scenario: { steps: Array(3).fill({ ...step, repeat: 900 }) } }, "repeat 2700 times in all; the limit is 2000"],
  [{ scenario: { steps: [{ do: "wait" }] } }, "steps[0]: ms is missing: wait requires it"],
  [{ scenario: { steps: [{ do: "clock", advance_ms: -1 }] } }, "steps[0]: advance_ms must be a whole number from 1"],
  [{ scenario: { platform: "fax", steps: [step] } }, "platform must be one of instagram, messenger, any"],
  [{ name: "view-once", account: "104512347788901" }, "the scenario is for instagram"],
  [{ name: "flood", account: "1" }, "there is no account 1"],
])("the request %j for a scenario is refused with the reason before anything is done", async (fields, reason) => {
  const { sim, receiver, get } = await startBoth();
  const { status, body } = await sim("/scenarios", fields);
  expect(body.error).toContain(reason);
  expect(status).toBe(400);
  expect(receiver.got).toEqual([]);
  expect((await get("/_sim/state")).body.threads).toEqual([]);
});

test("a step that the simulator refuses ends the scenario, which names the step", async () => {
  const { sim, receiver, get } = await startBoth();
  const scenario = { steps: [step, { do: "person-sends", kind: "story_mention" }, step] };
  const messenger = { account: "104512347788901", connection: "messenger" };
  const { status, body } = await sim("/scenarios", { scenario, ...messenger });
  const reason = "steps[1] (person-sends): story_mention exists on Instagram only: choose another kind or account";
  expect([status, body.error]).toEqual([400, reason]);
  expect(receiver.got).toHaveLength(1);
  expect((await get("/_sim/state")).body.scenario).toMatchObject({ state: "failed", problem: reason, done: 1, of: 3 });
});

test("one scenario runs at a time, and is stopped before its next action", async () => {
  const { sim, receiver } = await startBoth();
  const scenario = { title: "Long", steps: [step, { do: "wait", ms: 30_000 }, step] };
  const running = sim("/scenarios", { scenario });
  await receiver.waitForWebhooks(1);
  const second = await sim("/scenarios", { name: "view-once" });
  expect(second.status).toBe(400);
  expect(second.body.error).toContain("the scenario Long still runs");
  await sim("/stop-scenario", {});
  expect((await running).body).toMatchObject({ state: "stopped", steps: [{ count: 1 }, { do: "wait" }] });
  expect(receiver.got).toHaveLength(1);
});
