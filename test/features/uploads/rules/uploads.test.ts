import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  copyKey,
  finishableUntil,
  grantExpiresAt,
  isUploadReadable,
  newUploadId,
  nextUploadStatus,
  parseUploadId,
  postedKey,
  purgedBeforeHour,
  type UploadState,
  type UploadStatus,
  type UploadTrigger,
  uploadCreatedAt,
  uploadHour,
  uploadIdFromUlid,
  uploadLeavesBy,
  uploadStateAt,
  uploadStatuses,
  uploadStatusesBefore,
} from "#features/uploads/rules/uploads.ts";

const created = Date.UTC(2026, 10, 22, 20, 59, 59, 999);
const hour = Date.UTC(2026, 10, 22, 20);
const id = newUploadId(created);

const triggers: readonly UploadTrigger[] = ["create", "finish", "refuse", "accept", "fail", "lapse"];
const expected: Record<string, UploadStatus> = {
  "none create": "waiting",
  "waiting finish": "processing",
  "waiting refuse": "failed",
  "processing accept": "ready",
  "processing fail": "failed",
  "processing lapse": "failed",
};

test.each((["none", ...uploadStatuses] as const).flatMap((from) => triggers.map((by) => [from, by] as const)))(
  "an upload has the states %s, then %s",
  (from, by) => {
    expect(nextUploadStatus(from, by)).toBe(expected[`${from} ${by}`] ?? null);
    if (from !== "none") expect(uploadStatusesBefore(by).includes(from)).toBe(`${from} ${by}` in expected);
  },
);

test("no other trigger of an upload follows ready and failed", () => {
  for (const by of triggers) {
    expect(uploadStatusesBefore(by)).not.toContain("ready");
    expect(uploadStatusesBefore(by)).not.toContain("failed");
  }
});

test("processing of an upload counts as failed from 5 minutes on, and no call begins in the 10 seconds before", () => {
  const state: UploadState = { status: "processing", copyKey: "h/x", processingAt: created, tries: 1 };
  expect(uploadStateAt({ state }, created + 5 * MINUTE - 1)).toBe(state);
  expect(uploadStateAt({ state }, created + 5 * MINUTE)).toEqual({
    status: "failed",
    error: { code: "internal_error", message: "Internal error. Retry once.", detail: null },
    copyKey: "h/x",
    processingAt: created,
  });
  expect(uploadLeavesBy(created)).toBe(created + 5 * MINUTE - 10 * SECOND);
});

test.each<UploadState>([
  { status: "waiting" },
  { status: "ready", copyKey: "h/x", attachmentId: "1" },
  { status: "failed", error: { code: "send_failed", message: "", detail: null }, copyKey: null, processingAt: null },
])("time does not change the state $status of an upload", (state) => {
  expect(uploadStateAt({ state }, created + 400 * DAY)).toBe(state);
});

test("the id of an upload has the time of its creation", () => {
  expect(uploadCreatedAt(id)).toBe(created);
  expect(parseUploadId(id)).toBe(id);
  expect(uploadIdFromUlid(id.slice(4))).toBe(id);
});

test.each([
  "",
  "upl_",
  id.slice(4),
  id.toLowerCase(),
  `${id}0`,
  ` ${id}`,
  `${id}\n`,
  id.replace("upl", "hold"),
  "upl_../x",
])("the id of an upload is not %j", (text) => {
  expect(parseUploadId(text)).toBeNull();
});

test("the grant ends after 15 minutes, and the upload can be read for one day", () => {
  expect(grantExpiresAt(created)).toBe(created + 15 * MINUTE);
  expect(isUploadReadable(id, created + DAY - 1)).toBe(true);
  expect(isUploadReadable(id, created + DAY)).toBe(false);
});

test("an upload can be finished until 22 hours after the start of its hour", () => {
  expect(finishableUntil(id)).toBe(hour + 22 * HOUR);
  expect(finishableUntil(newUploadId(hour))).toBe(hour + 22 * HOUR);
});

test("an upload's files sort by the hour of its creation", () => {
  expect(uploadHour(created)).toBe("2026-11-22T20");
  expect(postedKey(id)).toBe(`u/2026-11-22T20/${id}`);
  expect(copyKey({ id, random: "r4nd0m", name: `${id}.png` })).toBe(`h/2026-11-22T20/r4nd0m/${id}.png`);
});

test("an hour's files are purged from 22:55 after its start, so none is a day old when the next purge runs", () => {
  const purgesHour = (now: number) => uploadHour(created) < purgedBeforeHour(now);
  expect(purgesHour(hour + 22 * HOUR + 55 * MINUTE - 1)).toBe(false);
  expect(purgesHour(hour + 22 * HOUR + 55 * MINUTE)).toBe(true);
  // A file can be finished until 22 h, and its hand-over ends 5 minutes later.
  expect(purgesHour(finishableUntil(id) + 5 * MINUTE)).toBe(false);
  // Over the end of a month and of a year.
  expect(purgedBeforeHour(Date.UTC(2027, 0, 1, 12, 54))).toBe("2026-12-31T14");
  expect(purgedBeforeHour(Date.UTC(2027, 0, 1, 12, 55))).toBe("2026-12-31T15");
});
