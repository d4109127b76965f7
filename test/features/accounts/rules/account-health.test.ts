import { expect, test } from "vitest";
import { DAY } from "#base/kernel/time.ts";
import {
  type AccountHealth,
  dataAccessNotice,
  type Finding,
  type HealthChange,
  type HealthEvent,
  healthAfter,
} from "#features/accounts/rules/account-health.ts";

const NOW = Date.UTC(2026, 10, 22);
const NEW = "the new words";
const OLD = "the old words";

const active: AccountHealth = {
  status: "active",
  isBlocked: false,
  statusDetail: null,
  refreshError: null,
  refreshFailingSince: null,
  recoveredAt: null,
};
const failing: AccountHealth = {
  ...active,
  status: "refresh_failing",
  statusDetail: OLD,
  refreshError: OLD,
  refreshFailingSince: NOW - DAY,
};
const dead: AccountHealth = { ...active, status: "needs_reauth", statusDetail: OLD };
const restricted: AccountHealth = { ...active, status: "restricted", statusDetail: OLD };
const blocked: AccountHealth = { ...active, isBlocked: true, statusDetail: OLD };

const unknown: Finding = { kind: "refresh_unknown", detail: NEW };
const refused: Finding = { kind: "refresh_refused", detail: NEW };
const refreshed: Finding = { kind: "refreshed" };
const ended: Finding = { kind: "access_ended", detail: NEW, refresh: false };
const endedAtRefresh: Finding = { ...ended, refresh: true };
const good: Finding = { kind: "access_confirmed", notice: null };
const goodSoonOver: Finding = { kind: "access_confirmed", notice: NEW };
const free: Finding = { kind: "restriction_ended" };

type Row = readonly [before: AccountHealth, finding: Finding, after: Partial<HealthChange> | null];
type Type = HealthEvent["type"] extends `account.${infer Name}` ? Name : never;
const event = (type: Type, reason: HealthEvent["reason"] = "token_invalid"): HealthEvent => ({
  type: `account.${type}`,
  reason,
});

/** What the account becomes. What is not given is not compared. */
const to = (
  status: HealthChange["status"],
  statusDetail: string | null | undefined,
  refreshError?: string | null,
  event: HealthEvent | null = null,
  rest: Partial<HealthChange> = {},
): Partial<HealthChange> => ({
  status,
  event,
  ...(statusDetail === undefined ? {} : { statusDetail }),
  ...(refreshError === undefined ? {} : { refreshError }),
  ...rest,
});

const rows: Record<string, Row> = {
  "active, the refresh had no answer": [active, unknown, to("active", null, NEW, null, { refreshFailingSince: NOW })],
  "active, the refresh had no answer again, with the same words": [
    { ...active, refreshError: NEW, refreshFailingSince: NOW - DAY },
    unknown,
    null,
  ],
  "active, the refresh had no answer again, and since when is not stored": [
    { ...active, refreshError: NEW },
    unknown,
    to("active", undefined, NEW, null, { refreshFailingSince: NOW }),
  ],
  "active, the refresh is refused": [active, refused, to("refresh_failing", NEW, NEW, event("refresh_failing"))],
  "active, refreshed": [active, refreshed, null],
  "active, access ended": [active, ended, to("needs_reauth", NEW, null, event("needs_reauth"))],
  "active, access ended at a refresh": [active, endedAtRefresh, to("needs_reauth", NEW, NEW, event("needs_reauth"))],
  "active, good": [active, good, null],
  "active, data access ends soon": [active, goodSoonOver, to("active", NEW)],
  "active, data access was extended": [{ ...active, statusDetail: OLD }, good, to("active", null)],
  "active, no restriction": [active, free, null],
  "refresh failing, no answer": [
    failing,
    unknown,
    to("refresh_failing", OLD, NEW, null, { refreshFailingSince: NOW - DAY }),
  ],
  "refresh failing, refused with other words": [failing, refused, to("refresh_failing", NEW, NEW)],
  "refresh failing, refused with the same words": [failing, { kind: "refresh_refused", detail: OLD }, null],
  "refresh failing, refreshed": [
    failing,
    refreshed,
    to("active", null, null, event("recovered"), { refreshFailingSince: null }),
  ],
  "refresh failing, access ended": [failing, endedAtRefresh, to("needs_reauth", NEW, NEW, event("needs_reauth"))],
  "refresh failing, the token is good": [failing, good, null],
  "needs reauth, no answer": [dead, unknown, to("needs_reauth", OLD, NEW)],
  "needs reauth, the refresh is refused": [dead, refused, to("needs_reauth", OLD, NEW)],
  "needs reauth, refreshed": [dead, refreshed, null],
  "needs reauth, access ended": [dead, ended, null],
  "needs reauth, good": [dead, good, to("active", null, undefined, event("recovered"), { recoveredAt: NOW })],
  "needs reauth again within a day of a recovery, good": [{ ...dead, recoveredAt: NOW - DAY + 1 }, good, null],
  "needs reauth a day after a recovery, good": [
    { ...dead, recoveredAt: NOW - DAY },
    good,
    to("active", undefined, undefined, event("recovered"), { recoveredAt: NOW }),
  ],
  "needs reauth, no restriction": [dead, free, null],
  "restricted, no restriction": [
    restricted,
    free,
    to("active", null, undefined, event("recovered", "policy"), { recoveredAt: NOW }),
  ],
  "restricted, the refresh is refused": [restricted, refused, to("restricted", OLD, NEW)],
  "restricted, access ended": [restricted, ended, to("needs_reauth", NEW, undefined, event("needs_reauth"))],
  "restricted, good": [restricted, good, null],
  "blocked, the refresh is refused": [blocked, refused, to("active", OLD, NEW)],
  "blocked, data access ends soon": [blocked, goodSoonOver, null],
  "blocked, access ended": [blocked, ended, to("needs_reauth", NEW, undefined, event("needs_reauth"))],
  "blocked, needs reauth, good": [
    { ...dead, isBlocked: true },
    good,
    to("active", undefined, undefined, event("restricted", "policy")),
  ],
  "blocked and restricted by a refusal, no restriction": [{ ...restricted, isBlocked: true }, free, null],
  "blocked, refresh failing, refreshed": [{ ...failing, isBlocked: true }, refreshed, to("active", OLD, null)],
};

test.each(Object.entries(rows))("what follows from a finding of a check: %s", (_name, [before, finding, after]) => {
  const change = healthAfter(before, finding, NOW);
  if (after === null) expect(change).toBeNull();
  else expect(change).toMatchObject(after);
});

test("the end of the data access is named from 14 days before it", () => {
  const endsAt = Date.UTC(2026, 11, 24, 12);
  expect(dataAccessNotice(null, NOW)).toBeNull();
  expect(dataAccessNotice(endsAt, endsAt - 14 * DAY - 1)).toBeNull();
  const notice = "The platform's data access ends on 2026-12-24. Connect the account again to extend it.";
  expect(dataAccessNotice(endsAt, endsAt - 14 * DAY)).toBe(notice);
});
