import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { conversationId } from "../../../shared/domain/inbox/conversations.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import { DAY, MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { type House, type Lane, openHouse } from "../../shared/flows/support/house.ts";
import { depth } from "../../shared/flows/support/queue-work.ts";
import { ACCOUNT, newTenant, PERSON } from "../../shared/stores/support/samples.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  house.turn(30 * DAY);
  lane = await house.newLane();
  // What the test before left goes to a lane of its own.
  await sweepWorker(ports(), house.now)(null, invocation(50 * SECOND));
  lane = await house.newLane();
  const [tenant, at] = [newTenant(), house.now()];
  const dueAt = at + 5 * MINUTE;
  await ports().due.put({ tenant, endpointId: newUlid(at), eventUlid: newUlid(at), attempt: 4, dueAt });
  await ports().dueSends.put({
    conversationId: conversationId({ tenant, account: ACCOUNT, participantId: PERSON }),
    sendId: newUlid(at),
    begunAt: at,
    content: { kind: "text", text: "hi" },
  });
  house.turn(5 * MINUTE);
  house.lines.length = 0;
});

const ports = () => ({ ...house.apiPorts(lane), ...house.sweepPorts(lane) });
const invocation = (remaining: number) => ({ getRemainingTimeInMillis: () => remaining });
const sends = () => house.lines.flatMap((line) => (line.event === "sends_settled" ? [line.sends] : []));
const handedOn = () => depth(house.eventSource, lane.deliveries);

it("begins no page in its last fifteen seconds, and what is left is there for the next", async () => {
  const sweep = sweepWorker(ports(), house.now);
  await sweep(null, invocation(15 * SECOND));
  expect([await handedOn(), sends()]).toEqual([0, []]);
  await sweep(null, invocation(15 * SECOND + 1));
  expect([await handedOn(), sends()]).toEqual([1, [1]]);
});

it.each(["due", "dueSends", "holds"] as const)(
  "fails where one of its tasks does (%s), and does the others",
  async (sick) => {
    const [sweptUpTo, overdue] = [() => Promise.reject(new Error("no")), () => [Promise.reject(new Error("no"))]];
    const sweep = sweepWorker({ ...ports(), [sick]: { ...ports()[sick], sweptUpTo, overdue } } as never, house.now);
    await expect(sweep(null, invocation(50 * SECOND))).rejects.toThrow("no");
    expect([await handedOn(), sends()]).toEqual([sick === "due" ? 0 : 1, sick === "dueSends" ? [] : [1]]);
  },
);
