import { expect, it } from "vitest";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import {
  HOLDER_RETENTION,
  holderAt,
  holdersAfterConnecting,
  holdersAfterDataDeletion,
  holdersAfterDisconnecting,
} from "#features/accounts/rules/holders.ts";

const [acme, globex] = ["acme", "globex"].map((slug) => parseTenant(slug)) as [TenantId, TenantId];
const T = 1_800_000_000_000;

const connect = (holders: Parameters<typeof holdersAfterConnecting>[0], tenant: typeof acme, now: number) =>
  holdersAfterConnecting(holders, { tenant, handle: "@shop", now });

const released = holdersAfterDisconnecting(connect([], acme, T), T + HOUR);
const holders = connect(released, globex, T + 2 * HOUR);

it.each([
  ["before the first connection", T - MINUTE - 1, null],
  ["a minute before the first connection", T - MINUTE, acme],
  ["in the time of the first", T + HOUR - 1, acme],
  ["a minute after it, where the clocks may differ", T + HOUR + MINUTE - 1, acme],
  ["when no tenant had it", T + HOUR + MINUTE, null],
  ["just before the minute before the second", T + 2 * HOUR - MINUTE - 1, null],
  ["a minute before the second", T + 2 * HOUR - MINUTE, globex],
  ["in the time of the second", T + 9 * HOUR, globex],
])("an account that two tenants had, one after the other has the tenant of what was written %s", (_, at, tenant) => {
  expect(holderAt(holders, at)?.tenant ?? null).toBe(tenant);
});

it("an account that two tenants had, one after the other keeps the time of a tenant that connects it again", () => {
  expect(connect(holders, globex, T + 5 * HOUR)).toEqual(holders);
});

it("an account that two tenants had, one after the other forgets a former tenant when no webhook of its time can be processed", () => {
  const later = T + HOUR + HOLDER_RETENTION;
  expect(connect(holders, globex, later - 1)).toHaveLength(2);
  expect(connect(holders, globex, later)).toHaveLength(1);
});

it("two tenants that are two minutes apart share no instant", () => {
  const released = holdersAfterDisconnecting(connect([], acme, T), T + HOUR);
  const holders = connect(released, globex, T + HOUR + 2 * MINUTE);
  expect(holderAt(holders, T + HOUR + MINUTE - 1)?.tenant).toBe(acme);
  expect(holderAt(holders, T + HOUR + MINUTE)?.tenant).toBe(globex);
});

it("nothing of before a data deletion is its tenant's, and all of after it is", () => {
  const connected = connect([], acme, T);
  const released = holdersAfterDisconnecting(connect([], acme, T), T + HOUR);
  const requestedAt = T + 3 * HOUR;
  const request = { tenant: acme, requestedAt, keepsNewer: true };
  expect(holdersAfterDataDeletion(released, request)).toEqual([]);
  const releasedLater = holdersAfterDisconnecting(connected, T + 5 * HOUR);
  const [rest] = holdersAfterDataDeletion(releasedLater, request);
  expect(rest).toMatchObject({ until: T + 5 * HOUR, from: requestedAt + MINUTE });
  expect(holdersAfterDataDeletion(releasedLater, { ...request, keepsNewer: false })).toEqual([]);
  const goesOn = holdersAfterDataDeletion(connected, request);
  expect(holderAt(goesOn, requestedAt - 1)).toBeNull();
  expect(holderAt(goesOn, requestedAt)?.tenant).toBe(acme);
  expect(holdersAfterDataDeletion(goesOn, request)).toEqual(goesOn);
  expect(holdersAfterDataDeletion(connected, { ...request, tenant: globex })).toEqual(connected);
});
