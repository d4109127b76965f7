import { describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { signWebhook } from "#features/delivery/rules/deliveries.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { auditOf } from "../../access/store/support/team-samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));

/** Changes the endpoint while its receiver holds the response, then lets the receiver respond. */
async function duringAttempt(duringCall: (endpoint: Endpoint) => Promise<unknown>, status: number, retrying: boolean) {
  let change: (() => Promise<unknown>) | null = null;
  const slow = await startReceiver(async (response) => {
    await change?.();
    response.writeHead(change ? status : 500).end();
  });
  const { endpoint, secret } = await fixture.endpointWith({ events: ["message.received"] });
  const url = `http://127.0.0.1:${slow.port}/slow`;
  await fixture.update(endpoint, { url });
  const { eventUlid } = await fixture.publish();
  if (retrying) {
    await fixture.drainQueues();
    testEnv.advance(5_000);
  }
  change = () => duringCall(endpoint);
  await fixture.drainQueues();
  return { endpoint, secret, slow, row: () => fixture.row(endpoint, eventUlid) };
}

const newUrl = () => ({ url: `http://127.0.0.1:${fixture.receiver.port}/new` });

describe.each([false, true])("while an attempt is in progress (retry: %s)", (retrying) => {
  const attempt = retrying ? 2 : 1;

  it("the endpoint's URL changes: the attempt counts, and the next one goes to the new URL", async () => {
    const { row, slow } = await duringAttempt((endpoint) => fixture.update(endpoint, newUrl()), 500, retrying);
    expect(await row()).toMatchObject({ status: "retrying", attempt });
    const before = slow.requests.length;
    testEnv.advance(6 * 60_000);
    await fixture.drainQueues();
    expect(await row()).toMatchObject({ status: "delivered", attempt: attempt + 1 });
    expect(fixture.receiver.requests.map(({ url }) => url)).toEqual(["/new"]);
    expect(slow.requests).toHaveLength(before);
  });

  it("the endpoint's URL changes and the old URL responds with 410: the endpoint is not paused", async () => {
    const { endpoint, row } = await duringAttempt((endpoint) => fixture.update(endpoint, newUrl()), 410, retrying);
    expect(await row()).toMatchObject({ status: "failed", attempt });
    expect(await fixture.stored(endpoint)).toMatchObject({ status: "active" });
    expect(await fixture.audits("webhook.auto_pause")).toEqual([]);
  });

  it.each([200, 500, 410])(
    "the endpoint is paused and the receiver responds with %i: the row shows that response",
    async (status) => {
      const { endpoint, row } = await duringAttempt(
        (endpoint) => fixture.update(endpoint, { status: "paused" }),
        status,
        retrying,
      );
      const rowStatus = status === 200 ? "delivered" : status === 500 ? "retrying" : "failed";
      expect(await row()).toMatchObject({ status: rowStatus, attempt });
      expect(await fixture.stored(endpoint)).toMatchObject({ status: "paused" });
      expect(await fixture.audits("webhook.auto_pause")).toEqual([]);
      if (status !== 500) return;
      testEnv.advance(6 * 60_000);
      await fixture.drainQueues();
      expect(await row()).toMatchObject({ status: "blocked", attempt });
    },
  );

  it.each([200, 500, 410])(
    "the endpoint is deleted and the receiver responds with %i: nothing more is sent or signed",
    async (status) => {
      const { endpoint, row, slow } = await duringAttempt(fixture.remove, status, retrying);
      const rowStatus = status === 200 ? "delivered" : status === 500 ? "retrying" : "failed";
      expect(await row()).toMatchObject({ status: rowStatus, attempt });
      const before = slow.requests.length;
      testEnv.advance(6 * 60_000);
      await fixture.drainQueues();
      expect(slow.requests).toHaveLength(before);
      expect((await row())?.status).toBe(status === 200 ? "delivered" : "failed");
      expect(await fixture.stored(endpoint)).toMatchObject({
        status: "deleted",
        sealedSecret: null,
      });
      expect(await fixture.audits("webhook.auto_pause")).toEqual([]);
    },
  );

  it("the secret is rotated: the attempt stands, and the next one is signed with both secrets", async () => {
    let newSecret = "";
    const rotate = async (endpoint: Endpoint) => {
      if (newSecret) return;
      const rotated = await fixture.rotate(endpoint);
      if (!isRefusal(rotated)) newSecret = rotated.secret;
    };
    const { secret, slow, row } = await duringAttempt(rotate, 500, retrying);
    expect(await row()).toMatchObject({ status: "retrying", attempt });
    testEnv.advance(6 * 60_000);
    await fixture.drainQueues();
    const signatures = slow.requests.map(({ headers, body }) => {
      const at = Number(headers["svc-timestamp"]) * 1_000;
      const signatureBy = (...secrets: string[]) =>
        signWebhook(secrets, String(headers["svc-event-id"]), body, at)["svc-signature"];
      return headers["svc-signature"] === signatureBy(secret)
        ? "old"
        : headers["svc-signature"] === signatureBy(newSecret, secret)
          ? "both"
          : "?";
    });
    expect(signatures).toEqual([...Array(attempt).fill("old"), "both"]);
  });
});

it("an endpoint that is deleted before its delivery is processed gets nothing: the delivery fails", async () => {
  const { endpoint } = await fixture.endpointWith();
  const [waiting, pending] = [
    await fixture.createDelivery(endpoint, "retrying"),
    await fixture.createDelivery(endpoint, "dlq"),
  ];
  for (const [row, attempt] of [
    [waiting, 2],
    [pending, 1],
  ] as const) {
    if (row === pending) {
      const author = { audit: auditOf("webhook.replay", testEnv.now()), actor: null };
      await fixture.ports.deliveries.reset(fixture.tenant, row, { trigger: "replay", author, now: testEnv.now() });
    }
    await fixture.queueAttempt({ endpointId: endpoint.id, eventUlid: row.eventUlid }, attempt);
  }
  await fixture.remove(endpoint);
  await fixture.drainQueues();
  expect((await fixture.rows(endpoint)).map(({ status }) => status)).toEqual(["failed", "failed"]);
  expect(fixture.receiver.requests).toEqual([]);
});
