import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type App, createApp } from "../../../../functions/http/app.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import { authenticate, keepPace } from "../../../../shared/flows/access/authenticate.ts";
import { createKey, createOperatorKey } from "../../../../shared/flows/access/set-up-tenant.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR, SECOND } from "../../../../shared/kernel/time.ts";
import { endpointRow, type Life, live, rowsTellingOf, untilErased } from "../../../shared/flows/support/erasing.ts";
import { type House, type Lane, openHouse } from "../../../shared/flows/support/house.ts";
import { conversationOf, newTenant } from "../../../shared/stores/support/samples.ts";

let house: House;
let lane: Lane;
let app: App;
let ports: ReturnType<House["apiPorts"]>;
let tenant: TenantId;
let life: Life;
let key: string;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
  ports = house.apiPorts(lane);
  app = createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (authorization) => authenticate(ports, authorization),
    rateLimit: (caller, now) => keepPace(ports, caller, now),
    now: house.now,
    log: (line) => house.lines.push(line),
    checkData: true,
  });
});
afterAll(() => house.close());
beforeEach(async () => {
  tenant = newTenant();
  key = await keyOf(tenant);
  life = await live(house, tenant, [await endpointRow(house, tenant, "one")]);
  house.turn(SECOND);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function keyOf(of: TenantId, scope: "live" | "test" = "live"): Promise<string> {
  return (await createKey(ports, of, { scope, label: "", actor: "cli" }, house.now())).secret;
}

async function remove(id: string, with_ = key, query = "") {
  const response = await app.request(`/v1/conversations/${encodeURIComponent(id)}${query}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${with_}` },
  });
  return { status: response.status, text: await response.text() };
}

const answerOf = (done: boolean, removed: Life["counts"]) => {
  const { conversation, profile, messages, markers, deliveries, sendRecords, uploads, holds } = removed;
  const counts = { conversation, profile, messages, markers, deliveries, uploads, holds, send_records: sendRecords };
  return JSON.stringify({ ok: true, data: { done, removed: counts } });
};
const none = Object.fromEntries(
  ["conversation", "profile", "messages", "markers", "deliveries", "sendRecords", "uploads", "holds"].map((kind) => [
    kind,
    0,
  ]),
) as unknown as Life["counts"];
const read = async () =>
  (
    await app.request(`/v1/conversations/${encodeURIComponent(life.conversation)}`, {
      headers: { authorization: `Bearer ${key}` },
    })
  ).status;

describe("DELETE /v1/conversations/{id}", () => {
  it("answers 200 with the counts, then 200 with zeros while the marker lives, then 404", async () => {
    const begun = house.now();
    expect(await remove(life.conversation)).toEqual({ status: 200, text: answerOf(true, life.counts) });
    expect(await read()).toBe(404);
    for (const later of [0, HOUR, 7 * DAY]) {
      house.turn(begun + later - house.now());
      expect(await remove(life.conversation)).toEqual({ status: 200, text: answerOf(true, none) });
      await untilErased(house, lane);
    }
    house.turn(HOUR + SECOND);
    expect((await remove(life.conversation, await keyOf(tenant))).status).toBe(404);
  });

  it("answers 202 when it takes too long, and 200 with zeros once the background is done", async () => {
    // Each look at the time takes seven seconds.
    let at = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (at += 7 * SECOND));
    const first = await remove(life.conversation);
    vi.restoreAllMocks();
    expect(first.status).toBe(202);
    expect(JSON.parse(first.text)).toMatchObject({ ok: true, data: { done: false, removed: { conversation: 1 } } });
    expect(await read()).toBe(404);
    await untilErased(house, lane);
    expect(await remove(life.conversation)).toEqual({ status: 200, text: answerOf(true, none) });
    expect(await rowsTellingOf(house, life)).toEqual([]);
  });

  it("answers a malformed, an unknown and another tenant's id with the same bytes", async () => {
    const stranger = newTenant();
    const unknown = await remove(conversationOf(tenant, "123"));
    expect(unknown.status).toBe(404);
    expect(JSON.parse(unknown.text)).toMatchObject({ ok: false, error: { code: "conversation_not_found" } });
    for (const id of ["x", "CONV#", `${life.conversation}#`, conversationOf(stranger)]) {
      expect(await remove(id)).toEqual(unknown);
    }
    expect(await remove(life.conversation, await keyOf(stranger))).toEqual(unknown);
    expect(await read()).toBe(200);
  });

  it("is forbidden to a test key, for whatever id", async () => {
    const test = await keyOf(tenant, "test");
    for (const id of [life.conversation, "x"]) {
      const refused = await remove(id, test);
      expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([403, "forbidden"]);
    }
    expect(await read()).toBe(200);
  });

  it("takes an operator's key with the tenant it names", async () => {
    const settings = { scope: "live", label: "", actor: "cli" } as const;
    const { secret } = await createOperatorKey(ports, [tenant], settings, house.now());
    expect((await remove(life.conversation, secret)).status).toBe(400);
    expect((await remove(life.conversation, secret, `?tenant=${newTenant()}`)).status).toBe(403);
    expect((await remove(life.conversation, secret, `?tenant=${tenant}`)).status).toBe(200);
  });
});
