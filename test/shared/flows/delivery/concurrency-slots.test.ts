import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { sign } from "../../../../shared/domain/delivery/signatures.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { rotateSecret } from "../../../../shared/flows/webhooks/rotate.ts";
import { changeWebhook, deleteWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { startReceiver } from "../../net/receiver.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { announce } from "../support/receivers.ts";

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
});

/** What happens to the endpoint while its receiver thinks, and what the receiver then answers. */
async function while_(meanwhile: (endpoint: Endpoint) => Promise<unknown>, status: number, retrying: boolean) {
  let change: (() => Promise<unknown>) | null = null;
  const slow = await startReceiver(async (response) => {
    await change?.();
    response.writeHead(change ? status : 500).end();
  });
  const { endpoint, secret } = await desk.endpointWith({ events: ["message.received"] });
  const url = `http://127.0.0.1:${slow.port}/slow`;
  await changeWebhook(desk.ports, desk.tenant, endpoint.id, { url }, desk.by, house.now());
  const { message, body } = await announce(house, desk.tenant);
  await openQueue(desk.lane.events, house.eventSource).send({ body });
  if (retrying) {
    await desk.work();
    house.turn(5_000);
  }
  change = () => meanwhile(endpoint);
  await desk.work();
  return { endpoint, secret, slow, eventUlid: message.eventUlid, row: () => desk.row(endpoint, message.eventUlid) };
}

const change = (endpoint: Endpoint, wanted: object) =>
  changeWebhook(desk.ports, desk.tenant, endpoint.id, wanted, desk.by, house.now());
const elsewhere = () => ({ url: `http://127.0.0.1:${desk.receiver.port}/new` });

describe.each([false, true])("while an attempt is under way (a retry: %s)", (retrying) => {
  const attempt = retrying ? 2 : 1;

  it("the endpoint is pointed elsewhere: the attempt counts, and the next one goes to the new address", async () => {
    const { row, slow } = await while_((endpoint) => change(endpoint, elsewhere()), 500, retrying);
    expect(await row()).toMatchObject({ status: "retrying", attempt });
    const before = slow.taken.length;
    house.turn(6 * 60_000);
    await desk.work();
    expect(await row()).toMatchObject({ status: "delivered", attempt: attempt + 1 });
    expect(desk.receiver.taken.map(({ url }) => url)).toEqual(["/new"]);
    expect(slow.taken).toHaveLength(before);
  });

  it("the endpoint is pointed elsewhere and the old address says that it is gone: the new one is not paused", async () => {
    const { endpoint, row } = await while_((endpoint) => change(endpoint, elsewhere()), 410, retrying);
    expect(await row()).toMatchObject({ status: "failed", attempt });
    expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toMatchObject({ status: "active" });
    expect(await desk.audits("webhook.auto_pause")).toEqual([]);
  });

  it.each([200, 500, 410])(
    "the endpoint is paused and the receiver answers %i: that is what the row says",
    async (status) => {
      const { endpoint, row } = await while_((endpoint) => change(endpoint, { status: "paused" }), status, retrying);
      const says = status === 200 ? "delivered" : status === 500 ? "retrying" : "failed";
      expect(await row()).toMatchObject({ status: says, attempt });
      expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toMatchObject({ status: "paused" });
      expect(await desk.audits("webhook.auto_pause")).toEqual([]);
      if (status !== 500) return;
      house.turn(6 * 60_000);
      await desk.work();
      expect(await row()).toMatchObject({ status: "blocked", attempt });
    },
  );

  it.each([200, 500, 410])(
    "the endpoint is deleted and the receiver answers %i: nothing more is sent or signed",
    async (status) => {
      const remove = (endpoint: Endpoint) => deleteWebhook(desk.ports, desk.tenant, endpoint.id, desk.by, house.now());
      const { endpoint, row, slow } = await while_(remove, status, retrying);
      const says = status === 200 ? "delivered" : status === 500 ? "retrying" : "failed";
      expect(await row()).toMatchObject({ status: says, attempt });
      const before = slow.taken.length;
      house.turn(6 * 60_000);
      await desk.work();
      expect(slow.taken).toHaveLength(before);
      expect((await row())?.status).toBe(status === 200 ? "delivered" : "failed");
      expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toMatchObject({
        status: "deleted",
        sealedSecret: null,
      });
      expect(await desk.audits("webhook.auto_pause")).toEqual([]);
    },
  );

  it("the secret is rotated: the attempt stands, and the next one is signed with both", async () => {
    let fresh = "";
    const rotate = async (endpoint: Endpoint) => {
      if (fresh) return;
      const rotated = await rotateSecret(desk.ports, desk.tenant, endpoint.id, desk.by, house.now());
      if (!isRefusal(rotated)) fresh = rotated.secret;
    };
    const { secret, slow, row } = await while_(rotate, 500, retrying);
    expect(await row()).toMatchObject({ status: "retrying", attempt });
    house.turn(6 * 60_000);
    await desk.work();
    const signatures = slow.taken.map(({ headers, body }) => {
      const at = Number(headers["svc-timestamp"]) * 1_000;
      const by = (...secrets: string[]) => sign(secrets, String(headers["svc-event-id"]), body, at)["svc-signature"];
      return headers["svc-signature"] === by(secret)
        ? "old"
        : headers["svc-signature"] === by(fresh, secret)
          ? "both"
          : "?";
    });
    expect(signatures).toEqual([...Array(attempt).fill("old"), "both"]);
  });
});

it("an endpoint that is deleted before its turn gets nothing: what waits for it fails", async () => {
  const { endpoint } = await desk.endpointWith();
  const [waiting, pending] = [await desk.delivery(endpoint, "retrying"), await desk.delivery(endpoint, "dlq")];
  for (const [row, attempt] of [
    [waiting, 2],
    [pending, 1],
  ] as const) {
    if (row === pending) {
      const audit = {
        action: "webhook.replay",
        resource: "x",
        actor: "cli",
        ip: null,
        detail: {},
        at: house.now(),
      } as const;
      await desk.ports.deliveries.reset(desk.tenant, row, "replay", audit, house.now());
    }
    const body = JSON.stringify({ v: 1, t: desk.tenant, w: endpoint.id, e: row.eventUlid, n: attempt });
    await desk.ports.retries.send({ body });
  }
  await deleteWebhook(desk.ports, desk.tenant, endpoint.id, desk.by, house.now());
  await desk.work();
  expect((await desk.rows(endpoint)).map(({ status }) => status)).toEqual(["failed", "failed"]);
  expect(desk.receiver.taken).toEqual([]);
});
