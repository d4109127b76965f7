import { expect, it } from "vitest";
import type { AppReport } from "#simulator";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin, runAdminJson } from "../support/admin.ts";
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
    // The message is read before the deliveries, so it may follow with the next report.
    return status === "delivered" && current.message !== null ? current : null;
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

interface Received {
  requests: { body: string; signature: string; status: number }[];
}

it("a scripted receiver of the simulator is an endpoint of Parley, which retries, signs, and replays an event to it", async () => {
  await stack.sim("POST", "/receivers", { name: "shop", steps: [{ status: 503 }, {}] });
  await stack.sim("POST", "/connect-receiver", { name: "shop" });
  const { mid } = await stack.sim<{ mid: string }>("POST", "/person-sends", { account, text: "To the receiver" });
  const requests = async (): Promise<Received["requests"]> => {
    const all = (await stack.sim<Received>("GET", "/receivers?name=shop")).requests;
    return all.filter(({ body }) => JSON.parse(body).data.message?.id === mid);
  };
  await waitFor("the first attempt", async () => ((await requests()).length === 1 ? true : null));
  await stack.sim("POST", "/clock", { advance_ms: 600_000 });
  await waitFor("the retry", async () => ((await requests()).length === 2 ? true : null));
  const attempts = (await requests()).map(({ status, signature }) => [status, signature]);
  expect(attempts).toEqual([
    [200, "verified"],
    [503, "verified"],
  ]);

  const replayed = await waitFor("the delivery is settled", async () => {
    const { deliveries } = await reportOf(mid);
    const found = deliveries.find(({ endpoint }) => endpoint.endsWith("/receivers/shop"));
    const delivery = found?.delivery as { status: string; delivery_id: string } | undefined;
    return found && delivery?.status === "delivered" ? { endpoint_id: found.endpoint_id, ...delivery } : null;
  });
  const { endpoint_id, delivery_id } = replayed;
  await stack.sim("POST", "/app-replay", { endpoint_id, delivery_id });
  await waitFor("the replay", async () => ((await requests()).length === 3 ? true : null));
});

it("the command scenario runs a scenario of the simulator on an account of the tenant, and names what the simulator refuses", async () => {
  const output = await runAdminJson(stack.dataDir, "scenario", "echo-from-app", "--person", "Ada");
  expect(output).toEqual({
    scenario: "echo-from-app",
    state: "completed",
    account: expect.stringMatching(/^\d+$/),
    person: "Ada",
    steps: "person-sends, account-sends, account-sends, person-sends",
  });
  const { code, errors } = await runAdmin(stack.dataDir, "scenario", "none");
  expect([code, errors]).toEqual([1, expect.stringContaining("name must be one of ad-referral, all-clear")]);
});

it("the mailbox of the stack and the first address that the start prints are pages for a browser", async () => {
  for (const path of ["/_local/mail", "/app"]) {
    const response = await fetch(stack.info.base_url + path, { headers: { accept: "text/html" } });
    expect([path, response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
      path,
      200,
      "text/html",
    ]);
  }
});
