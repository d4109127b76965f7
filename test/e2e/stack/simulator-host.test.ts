import { expect, it } from "vitest";
import type { AppReport } from "#simulator";
import { openedOnce } from "../../support/opened.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

// What the simulator's page shows of Parley, from the simulator's control interface.

const account = "17841400000000001";
const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);

const reportOf = async (mid: string): Promise<AppReport> =>
  (await stack.sim<{ report: AppReport }>("GET", `/app?mid=${encodeURIComponent(mid)}`)).report;

it("the simulator shows the stored message, its events and their deliveries, of this message alone", async () => {
  const created = await stack.api("POST", "/v1/webhooks", { url: receiver.url, events: ["message.received"] });
  expect(created.status).toBe(200);
  await stack.sim("POST", "/person-sends", { account, text: "Another one" });
  const { mid } = await stack.sim<{ mid: string }>("POST", "/person-sends", { account, text: "Where is it?" });
  const report = await waitFor("the event is delivered", async () => {
    const current = await reportOf(mid);
    const status = (current.deliveries[0]?.delivery as { status?: string } | undefined)?.status;
    return status === "delivered" ? current : null;
  });
  expect(report).toMatchObject({
    message: { id: mid, text: "Where is it?" },
    deliveries: [
      {
        endpoint: receiver.url,
        delivery: {
          event_type: "message.received",
          event: { data: { message: { id: mid } } },
          attempts: [{ attempt: 1, status: 200 }],
        },
      },
    ],
    problem: null,
  });
});

it("the simulator advances every clock of the stack from the simulator", async () => {
  const before = await stack.now();
  const { now } = await stack.sim<{ now: number }>("POST", "/clock", { advance_ms: 3_600_000 });
  const elapsed = (await stack.now()) - before;
  expect(elapsed).toBeGreaterThanOrEqual(3_600_000);
  expect(elapsed).toBeLessThan(3_660_000);
  expect(Math.abs(now - before - elapsed)).toBeLessThan(5_000);
});
