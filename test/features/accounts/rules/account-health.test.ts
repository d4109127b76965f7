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

const rows: Record<string, Row> = {
  "active, the refresh had no answer": [
    active,
    unknown,
    { status: "active", statusDetail: null, refreshError: NEW, refreshFailingSince: NOW, event: null },
  ],
  "active, the refresh had no answer again, with the same words": [
    { ...active, refreshError: NEW, refreshFailingSince: NOW - DAY },
    unknown,
    null,
  ],
  "active, the refresh had no answer again, and since when is not stored": [
    { ...active, refreshError: NEW },
    unknown,
    { status: "active", refreshError: NEW, refreshFailingSince: NOW, event: null },
  ],
  "active, the refresh is refused": [
    active,
    refused,
    { status: "refresh_failing", statusDetail: NEW, refreshError: NEW, event: event("refresh_failing") },
  ],
  "active, refreshed": [active, refreshed, null],
  "active, access ended": [
    active,
    ended,
    { status: "needs_reauth", statusDetail: NEW, refreshError: null, event: event("needs_reauth") },
  ],
  "active, access ended at a refresh": [
    active,
    endedAtRefresh,
    { status: "needs_reauth", statusDetail: NEW, refreshError: NEW, event: event("needs_reauth") },
  ],
  "active, good": [active, good, null],
  "active, data access ends soon": [active, goodSoonOver, { status: "active", statusDetail: NEW, event: null }],
  "active, data access was extended": [
    { ...active, statusDetail: OLD },
    good,
    { status: "active", statusDetail: null, event: null },
  ],
  "active, no restriction": [active, free, null],
  "refresh failing, no answer": [
    failing,
    unknown,
    { status: "refresh_failing", statusDetail: OLD, refreshError: NEW, refreshFailingSince: NOW - DAY, event: null },
  ],
  "refresh failing, refused with other words": [
    failing,
    refused,
    { status: "refresh_failing", statusDetail: NEW, refreshError: NEW, event: null },
  ],
  "refresh failing, refused with the same words": [failing, { kind: "refresh_refused", detail: OLD }, null],
  "refresh failing, refreshed": [
    failing,
    refreshed,
    {
      status: "active",
      statusDetail: null,
      refreshError: null,
      refreshFailingSince: null,
      event: event("recovered"),
    },
  ],
  "refresh failing, access ended": [
    failing,
    endedAtRefresh,
    { status: "needs_reauth", statusDetail: NEW, refreshError: NEW, event: event("needs_reauth") },
  ],
  "refresh failing, the token is good": [failing, good, null],
  "needs reauth, no answer": [
    dead,
    unknown,
    { status: "needs_reauth", statusDetail: OLD, refreshError: NEW, event: null },
  ],
  "needs reauth, the refresh is refused": [
    dead,
    refused,
    { status: "needs_reauth", statusDetail: OLD, refreshError: NEW, event: null },
  ],
  "needs reauth, refreshed": [dead, refreshed, null],
  "needs reauth, access ended": [dead, ended, null],
  "needs reauth, good": [
    dead,
    good,
    { status: "active", statusDetail: null, recoveredAt: NOW, event: event("recovered") },
  ],
  "needs reauth again within a day of a recovery, good": [{ ...dead, recoveredAt: NOW - DAY + 1 }, good, null],
  "needs reauth a day after a recovery, good": [
    { ...dead, recoveredAt: NOW - DAY },
    good,
    { status: "active", recoveredAt: NOW, event: event("recovered") },
  ],
  "needs reauth, no restriction": [dead, free, null],
  "restricted, no restriction": [
    restricted,
    free,
    { status: "active", statusDetail: null, recoveredAt: NOW, event: event("recovered", "policy") },
  ],
  "restricted, the refresh is refused": [
    restricted,
    refused,
    { status: "restricted", statusDetail: OLD, refreshError: NEW, event: null },
  ],
  "restricted, access ended": [
    restricted,
    ended,
    { status: "needs_reauth", statusDetail: NEW, event: event("needs_reauth") },
  ],
  "restricted, good": [restricted, good, null],
  "blocked, the refresh is refused": [
    blocked,
    refused,
    { status: "active", statusDetail: OLD, refreshError: NEW, event: null },
  ],
  "blocked, data access ends soon": [blocked, goodSoonOver, null],
  "blocked, access ended": [
    blocked,
    ended,
    { status: "needs_reauth", statusDetail: NEW, event: event("needs_reauth") },
  ],
  "blocked, needs reauth, good": [
    { ...dead, isBlocked: true },
    good,
    { status: "active", event: event("restricted", "policy") },
  ],
  "blocked and restricted by a refusal, no restriction": [{ ...restricted, isBlocked: true }, free, null],
  "blocked, refresh failing, refreshed": [
    { ...failing, isBlocked: true },
    refreshed,
    { status: "active", statusDetail: OLD, refreshError: null, event: null },
  ],
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
