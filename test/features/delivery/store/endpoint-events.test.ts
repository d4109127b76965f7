import { expect, it } from "vitest";
import { type EventType, eventTypes } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { openTable } from "#base/table/client.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);

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
