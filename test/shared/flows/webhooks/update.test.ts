import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EndpointChanges } from "../../../../shared/domain/webhooks/endpoints.ts";
import { rotateSecret } from "../../../../shared/flows/webhooks/rotate.ts";
import { changeWebhook, deleteWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, HOUR } from "../../../../shared/kernel/time.ts";
import { createGate } from "../../../../shared/net/egress-gate.ts";
import { beside, newTenant } from "../../stores/support/samples.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
});

const notFound = { refused: "endpoint_not_found" };
const change = (id: string, wanted: EndpointChanges, tenant = desk.tenant) =>
  changeWebhook(desk.ports, tenant, id, wanted, desk.by, house.now());
const remove = (id: string, tenant = desk.tenant) => deleteWebhook(desk.ports, tenant, id, desk.by, house.now());
const rotate = (id: string, tenant = desk.tenant) => rotateSecret(desk.ports, tenant, id, desk.by, house.now());

describe("changing an endpoint", () => {
  it("changes what is given, and the audit row names the fields and never the address", async () => {
    const { endpoint } = await desk.endpointWith();
    house.turn(5);
    const url = `http://127.0.0.1:${desk.receiver.port}/other?secret=1`;
    const changed = await change(endpoint.id, { url, events: ["message.sent", "message.sent"], status: "paused" });
    const written = { breakerOp: expect.any(String), updatedAt: house.now() };
    expect(changed).toEqual({ ...endpoint, url, events: ["message.sent"], status: "paused", ...written });
    const [audit] = await desk.audits("webhook.update");
    expect(audit).toMatchObject({
      rs: `webhook:${endpoint.id}`,
      by: "key:key1",
      ip: "192.0.2.1",
      dt: { fields: "events,status,url", status: "paused" },
    });
    expect(JSON.stringify(audit)).not.toContain("127.0.0.1");
  });

  it("to what it is already writes nothing and audits nothing", async () => {
    const { endpoint } = await desk.endpointWith({ events: ["message.sent", "message.received"] });
    house.turn(5);
    const same = { url: endpoint.url, events: ["message.received", "message.sent"], status: "active" } as const;
    expect(await change(endpoint.id, {})).toEqual(endpoint);
    expect(await change(endpoint.id, same)).toEqual(endpoint);
    expect(await desk.audits("webhook.update")).toEqual([]);
  });

  it("to an address that the gate refuses changes nothing, and the reason is told", async () => {
    const { endpoint } = await desk.endpointWith();
    const ports = { ...desk.ports, gate: createGate({ mode: "public", resolver: async () => ["10.0.0.7"] }) };
    const wanted = { url: "https://inside.example/in", status: "paused" } as const;
    const refused = await changeWebhook(ports, desk.tenant, endpoint.id, wanted, desk.by, house.now());
    expect(refused).toMatchObject({ refused: "invalid_request", detail: expect.stringMatching(/\w/) });
    expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toEqual(endpoint);
  });
});

it("a deleted endpoint is a tombstone: no secret is left of it, and it is not there for anyone any more", async () => {
  const { endpoint, secret } = await desk.endpointWith();
  const rotated = await rotate(endpoint.id);
  const row = await desk.delivery(endpoint, "dlq");
  expect(await remove(endpoint.id)).toBeNull();
  const { Items = [] } = await house.table.client.send(new ScanCommand({ TableName: house.table.name }));
  const item = Items.find(({ SK }) => SK === `WH#${endpoint.id}`);
  expect(item).toMatchObject({ st: "deleted", u: endpoint.url });
  for (const name of ["s1", "s2", "s2x"]) expect(item).not.toHaveProperty(name);
  expect(JSON.stringify(item)).not.toContain(secret.slice(4, 12));
  expect(isRefusal(rotated)).toBe(false);
  expect((await desk.rows(endpoint)).map(({ eventUlid }) => eventUlid)).toEqual([row.eventUlid]);
  for (const again of [
    await remove(endpoint.id),
    await change(endpoint.id, { status: "active" }),
    await rotate(endpoint.id),
  ]) {
    expect(again).toEqual(notFound);
  }
  expect(await desk.audits("webhook.delete")).toMatchObject([{ rs: `webhook:${endpoint.id}`, dt: {} }]);
});

it("another tenant's endpoint, an unknown one and an impossible one are the same nothing", async () => {
  const { endpoint } = await desk.endpointWith();
  for (const id of [endpoint.id, beside(endpoint.id), "x", "", `${endpoint.id}#`]) {
    const stranger = newTenant();
    const answers = [
      await remove(id, stranger),
      await change(id, { status: "paused" }, stranger),
      await rotate(id, stranger),
    ];
    expect(answers).toEqual([notFound, notFound, notFound]);
  }
  expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toEqual(endpoint);
});

describe("a rotated secret", () => {
  it("signs beside the one before it for 24 hours to the millisecond; then alone", async () => {
    const { endpoint, secret: first } = await desk.endpointWith();
    const rotated = await rotate(endpoint.id);
    if (isRefusal(rotated)) throw new Error(rotated.refused);
    expect(rotated.secret).toMatch(/^whs_/);
    expect(rotated.endpoint.secondary?.expiresAt).toBe(house.now() + DAY);
    expect(await desk.audits("webhook.rotate")).toMatchObject([{ rs: `webhook:${endpoint.id}`, dt: {} }]);
    const signatures = async () => {
      await desk.delivery(endpoint, "retrying");
      const [row] = await desk.rows(endpoint);
      const { worker } = desk;
      const body = JSON.stringify({ v: 1, t: desk.tenant, w: endpoint.id, e: row?.eventUlid, n: 2 });
      await worker({ Records: [recordOf(body)] }, { getRemainingTimeInMillis: () => 60_000 });
      return String(desk.receiver.taken.at(-1)?.headers["svc-signature"]).split(",");
    };
    house.turn(DAY - 1);
    expect(await signatures()).toHaveLength(2);
    house.turn(1);
    expect(await signatures()).toHaveLength(1);
    expect(first).not.toBe(rotated.secret);
  });

  it("replaces the one before when it is rotated again, and all answers are kept sealed", async () => {
    const { endpoint } = await desk.endpointWith();
    const second = await rotate(endpoint.id);
    house.turn(HOUR);
    const third = await rotate(endpoint.id);
    if (isRefusal(second) || isRefusal(third)) throw new Error("refused");
    const kept = await desk.ports.endpoints.get(desk.tenant, endpoint.id);
    const to = { purpose: "webhook-secret", tenant: desk.tenant, owner: endpoint.id } as const;
    const open = (sealed: Uint8Array | null | undefined) => house.newVault().open(sealed ?? new Uint8Array(), to);
    expect(await open(kept?.sealedSecret)).toBe(third.secret);
    expect(await open(kept?.secondary?.sealedSecret)).toBe(second.secret);
    expect(kept?.secondary?.expiresAt).toBe(house.now() + DAY);
  });
});

function recordOf(body: string) {
  return {
    messageId: "m",
    receiptHandle: "r",
    body,
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: "", SenderId: "", ApproximateFirstReceiveTimestamp: "" },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:q",
    awsRegion: "us-east-1",
  };
}
