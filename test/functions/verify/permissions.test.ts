import { afterAll, beforeAll, expect, it } from "vitest";
import { takeChallenge } from "../../../shared/flows/holds/challenge.ts";
import { readHold } from "../../../shared/flows/holds/get.ts";
import { lookAtHold } from "../../../shared/flows/holds/view.ts";
import type { CheckPorts } from "../../../shared/flows/ports.ts";
import { DAY } from "../../../shared/kernel/time.ts";
import type { SendOutcome } from "../../../shared/platforms/platform.ts";
import { actionsOf, templates } from "../../lib/synthesized.ts";
import { refused } from "../../shared/flows/support/both-sides.ts";
import { type HoldScene, openHoldScene } from "../../shared/flows/support/hold-scene.ts";
import { type House, openHouse } from "../../shared/flows/support/house.ts";
import { injectFaults } from "../../support/faults.ts";

// The local stack asks nobody for a permission, so what the page's function does to the table is watched here.

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

interface Part {
  readonly ConditionCheck?: unknown;
  readonly Put?: unknown;
  readonly Update?: unknown;
  readonly Delete?: unknown;
}

/** The permission that each call to the table wants: a transaction wants those of its parts. */
function wanted(command: string, input: unknown): string[] {
  if (command !== "TransactWriteItems") return [`dynamodb:${command}`];
  const { TransactItems } = input as { TransactItems: readonly Part[] };
  const names = { ConditionCheck: "ConditionCheckItem", Put: "PutItem", Update: "UpdateItem", Delete: "DeleteItem" };
  return TransactItems.map((part) => `dynamodb:${names[Object.keys(part)[0] as keyof typeof names]}`);
}

async function watched(work: () => Promise<unknown>): Promise<string[]> {
  const seen = new Set<string>();
  const end = injectFaults(house.client, ({ command, input }) => {
    for (const action of wanted(command, input)) seen.add(action);
    return "pass";
  });
  await work();
  end();
  return [...seen].sort();
}

const outcomes: readonly SendOutcome[] = [
  { kind: "accepted", messageId: "m_1" },
  { kind: "unknown", detail: "outcome_unknown" },
  { ...(refused as Extract<SendOutcome, { kind: "refused" }>), accountStatus: "needs_reauth" },
  {
    ...(refused as Extract<SendOutcome, { kind: "refused" }>),
    coolDownMs: 1_000,
    humanAgentPauseMs: DAY,
    humanAgentRefused: true,
  },
];

it("what the page's function does to the table, whatever comes of a send, is all that its role allows", async () => {
  const done = new Set<string>();
  for (const outcome of outcomes) {
    const scene = await openHoldScene(house);
    scene.platformAnswers(async () => outcome);
    const [made, other] = [await scene.hold(), await scene.hold()];
    const request = async (id: string) => ({ holdId: id, secret: await scene.secret(id), sourceIp: null });
    const ports: CheckPorts = scene.checkPorts();
    const seen = await watched(async () => {
      await lookAtHold(ports, await request(made.id), house.now());
      await takeChallenge(ports, await request(made.id), house.now());
      await scene.complete(made, ports);
      await scene.complete(other, ports);
      await lookAtHold(ports, { ...(await request(made.id)), secret: "wrong" }, house.now());
      house.turn(DAY);
      await lookAtHold(ports, await request(other.id), house.now());
    });
    for (const action of seen) done.add(action);
  }
  const { service } = templates();
  expect([...done].sort()).toEqual(actionsOf(service, "Verify", "dynamodb:"));
});

it("what holding and reading a hold does to the table, the API's role allows", async () => {
  const scene: HoldScene = await openHoldScene(house);
  const seen = await watched(async () => {
    const made = await scene.hold({ idempotencyKey: "k" });
    await scene.ask({ idempotencyKey: "k" });
    await readHold(scene.apiPorts(), scene.caller, made.id, house.now());
    house.turn(DAY);
    await readHold(scene.apiPorts(), scene.caller, made.id, house.now());
  });
  const { service } = templates();
  const allowed = actionsOf(service, "Api", "dynamodb:");
  expect(seen).toContain("dynamodb:ConditionCheckItem");
  expect(seen.filter((action) => !allowed.includes(action))).toEqual([]);
});
