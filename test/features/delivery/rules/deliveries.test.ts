import { expect, test } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { attemptError, deliveryId, judgeAttempt, parseDeliveryId } from "#features/delivery/rules/deliveries.ts";

const createdAt = 1_790_000_000_000;
const answered = (status: number, retryAfter: number | null = null): AttemptOutcome => ({
  kind: "answered",
  status,
  retryAfter,
  durationMs: 10,
});
const retryWaits = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

test.each([200, 204, 299])("the response %i is a success", (status) => {
  expect(judgeAttempt(answered(status), { attempt: 1, createdAt, now: createdAt, jitter: 0 })).toEqual({
    status: "delivered",
  });
  expect(attemptError(answered(status))).toBeNull();
});

test.each([199, 300, 302, 304, 400, 404, 500])("the response %i is retried", (status) => {
  expect(judgeAttempt(answered(status), { attempt: 1, createdAt, now: createdAt, jitter: 0 })).toMatchObject({
    status: "retrying",
  });
  expect(attemptError(answered(status))).toBe("status");
});

test("the response 410 ends the delivery", () => {
  expect(judgeAttempt(answered(410), { attempt: 1, createdAt, now: createdAt, jitter: 0 })).toEqual({
    status: "failed",
  });
});

test("the waits between the ten attempts follow the schedule, 75.6 hours in all", () => {
  let now = createdAt;
  for (const [index, wait] of retryWaits.entries()) {
    const verdict = judgeAttempt(answered(500), { attempt: index + 1, createdAt, now, jitter: 0 });
    expect(verdict).toEqual({ status: "retrying", nextRetryAt: now + wait });
    now += wait;
  }
  expect(judgeAttempt(answered(500), { attempt: 10, createdAt, now, jitter: 0 })).toEqual({ status: "dlq" });
  expect((now - createdAt) / HOUR).toBeCloseTo(75.6, 1);
});

test("jitter adds up to a tenth and never subtracts", () => {
  expect(judgeAttempt(answered(500), { attempt: 2, createdAt, now: createdAt, jitter: 0.999999 })).toEqual({
    status: "retrying",
    nextRetryAt: createdAt + 5.5 * MINUTE,
  });
});

test("Retry-After is a lower bound on 429 and 503, capped at a day, and is ignored elsewhere", () => {
  const next = (status: number, after: number) =>
    judgeAttempt(answered(status, after), { attempt: 1, createdAt, now: createdAt, jitter: 0 });
  expect(next(429, HOUR)).toEqual({ status: "retrying", nextRetryAt: createdAt + HOUR });
  expect(next(503, HOUR)).toEqual({ status: "retrying", nextRetryAt: createdAt + HOUR });
  expect(next(503, 1)).toEqual({ status: "retrying", nextRetryAt: createdAt + 5 * SECOND });
  expect(next(429, 30 * DAY)).toEqual({ status: "retrying", nextRetryAt: createdAt + DAY });
  expect(next(500, HOUR)).toEqual({ status: "retrying", nextRetryAt: createdAt + 5 * SECOND });
});

test("a retry that would come after the body's seven days becomes a dead letter at once, to the millisecond", () => {
  const end = createdAt + 7 * DAY;
  expect(judgeAttempt(answered(500), { attempt: 1, createdAt, now: end - 5 * SECOND - 1, jitter: 0 }).status).toBe(
    "retrying",
  );
  expect(judgeAttempt(answered(500), { attempt: 1, createdAt, now: end - 5 * SECOND, jitter: 0 }).status).toBe("dlq");
});

test("a refusal by the gate is blocked", () => {
  expect(
    judgeAttempt({ kind: "refused_by_gate", reason: "no" }, { attempt: 1, createdAt, now: createdAt, jitter: 0 }),
  ).toEqual({
    status: "blocked",
  });
});

test("a delivery's ID contains its event and its endpoint, and can be parsed", () => {
  const [event, endpoint] = [newUlid(createdAt), newUlid(createdAt + 1)];
  expect(parseDeliveryId(deliveryId(event, endpoint))).toEqual({ eventUlid: event, endpointId: endpoint });
  for (const bad of ["", "dlv_", `dlv_${event}`, `dlv_${event}_x`, `${deliveryId(event, endpoint)}_`]) {
    expect(parseDeliveryId(bad)).toBeNull();
  }
});
