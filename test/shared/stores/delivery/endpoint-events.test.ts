import { afterAll, beforeAll, expect, it } from "vitest";
import { CLOSED } from "../../../../shared/domain/delivery/breaker.ts";
import { type EventType, eventTypes } from "../../../../shared/domain/events/events.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import { endpointStore } from "../../../../shared/stores/webhooks/endpoints.ts";
import { startTestTable, type TestTable } from "../../../support/dynamodb.ts";
import { NOW, newTenant } from "../support/samples.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

it.each<[string, readonly EventType[]]>([
  ["all", eventTypes],
  ["all, in another order", [...eventTypes].reverse()],
  ...eventTypes.map((type): [string, readonly EventType[]] => [type, [type]]),
])("an endpoint's event types are read back as stored: %s", async (_what, events) => {
  const endpoints = endpointStore(openTable(table.tableName, table.client));
  const tenant = newTenant();
  const id = newUlid(NOW);
  const audit = {
    action: "webhook.create",
    resource: "webhook:x",
    actor: "cli",
    ip: null,
    detail: {},
    at: NOW,
  } as const;
  const endpoint = {
    id,
    url: "https://one.example/",
    events,
    status: "active",
    secretPrefix: "whs_first000",
    sealedSecret: new Uint8Array(4),
    secondary: null,
    pausedEvent: null,
    breaker: CLOSED,
    breakerOp: null,
    createdAt: NOW,
    updatedAt: NOW,
  } as const;
  await endpoints.create(tenant, endpoint, { audit, actor: null });
  expect((await endpoints.get(tenant, id))?.events).toEqual(events);
  await endpoints.update(tenant, id, { events: ["test.event"] }, { audit, actor: null });
  await endpoints.update(tenant, id, { events }, { audit: { ...audit, action: "webhook.update" }, actor: null });
  expect((await endpoints.get(tenant, id))?.events).toEqual(events);
});
