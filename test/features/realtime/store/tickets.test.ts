import { expect, it } from "vitest";
import { randomToken, sha256Hex } from "#base/kernel/bytes.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type { Grant } from "#features/realtime/rules/sockets.ts";
import { realtimeTicketStore } from "#features/realtime/store/tickets.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const tickets = openedOnce(() => realtimeTicketStore(openTable(table.tableName, table.client)));

const tenant = newTenant();
const expiresAt = NOW + MINUTE;

async function newTicket(grant: Grant = { kind: "tenant_key", keyId: "1" }): Promise<string> {
  const ticketId = sha256Hex(randomToken(8).toString("hex"));
  await tickets.create(ticketId, { tenant, grant, expiresAt });
  return ticketId;
}

it("of twenty calls at once that consume a ticket, one gets it", async () => {
  const grants: Grant[] = [
    { kind: "tenant_key", keyId: "1" },
    { kind: "operator_key", keyId: "2" },
    { kind: "session", userId: "usr_1", epoch: 0, memberSince: NOW },
  ];
  for (const grant of grants) {
    const ticketId = await newTicket(grant);
    const results = await Promise.all(Array.from({ length: 20 }, () => tickets.consume(ticketId, NOW)));
    expect(results.filter((result) => result !== null)).toEqual([{ tenant, grant, expiresAt }]);
  }
});

it("a ticket is usable to the last millisecond of its time, and an unknown one never is", async () => {
  const ticketId = await newTicket();
  expect(await tickets.consume(ticketId, expiresAt)).toBeNull();
  expect(await tickets.consume(ticketId, expiresAt - 1)).toMatchObject({ tenant });
  expect(await tickets.consume(sha256Hex("unknown"), NOW)).toBeNull();
});

it("a ticket whose consumption lost its answer is consumed, and no one gets it", async () => {
  const ticketId = await newTicket();
  const end = injectFaults(table.client, ({ index }) => (index === 0 ? "lost" : "pass"));
  expect(await tickets.consume(ticketId, NOW)).toBeNull();
  end();
  expect(await tickets.consume(ticketId, NOW)).toBeNull();
});
