import fc from "fast-check";
import { expect, test } from "vitest";
import { deriveServiceKeys } from "#base/aws/service-keys.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  type HoldLifecycle,
  type HoldStatus,
  type HoldTrigger,
  holdError,
  holdExpiresAt,
  holdSecret,
  holdSecretHash,
  holdStateAt,
  holdStatuses,
  holdStatusesBefore,
  holdTransitions,
  isHoldEnded,
  isHoldId,
  isHoldReadable,
  isHoldSecret,
  newHoldId,
  nextHoldStatus,
} from "#features/holds/rules/holds.ts";

const created = 1_800_000_000_000;
const hold: HoldLifecycle = {
  createdAt: created,
  expiresAt: created + 15 * MINUTE,
  state: { status: "awaiting_verification" },
};
const lapsedHold = {
  status: "failed",
  error: {
    code: "send_failed",
    message: expect.stringMatching(/^The platform's response was lost, so the message may have been sent\./),
    detail: "outcome_unknown",
  },
};

test("a hold expires after 15 minutes, or at the end of the 7 days since the person's last message", () => {
  expect(holdExpiresAt(created, created - DAY)).toBe(created + 15 * MINUTE);
  expect(holdExpiresAt(created, created - 7 * DAY + 15 * MINUTE)).toBe(created + 15 * MINUTE);
  expect(holdExpiresAt(created, created - 7 * DAY + 15 * MINUTE - 1)).toBe(created + 15 * MINUTE - 1);
  expect(holdExpiresAt(created, created - 7 * DAY + 1)).toBe(created + 1);
});

test("a hold that waits is expired from its expiry time on, even if nothing was stored", () => {
  expect(holdStateAt(hold, hold.expiresAt - 1)).toEqual(hold.state);
  expect(holdStateAt(hold, hold.expiresAt)).toEqual({ status: "expired" });
});

test("a hold that was claimed in time does not expire, and counts as failed after more than 60 s in sending", () => {
  const claimedAt = hold.expiresAt - 1;
  const sending: HoldLifecycle = { ...hold, state: { status: "sending", claimedAt } };
  expect(holdStateAt(sending, hold.expiresAt)).toEqual(sending.state);
  expect(holdStateAt(sending, claimedAt + 60 * SECOND)).toEqual(sending.state);
  expect(holdStateAt(sending, claimedAt + 60 * SECOND + 1)).toEqual(lapsedHold);
});

test.each([
  { status: "sent", platformMessageId: "m_1" },
  { status: "failed", error: holdError("window_closed") },
] as const)("a hold that ended stays as it ended ($status)", (state) => {
  expect(holdStateAt({ ...hold, state }, created + 365 * DAY)).toEqual(state);
});

test("a hold can be read for 30 minutes", () => {
  expect(isHoldReadable(created, created + 30 * MINUTE - 1)).toBe(true);
  expect(isHoldReadable(created, created + 30 * MINUTE)).toBe(false);
});

test("each status changes to the expected ones, and a final status to none", () => {
  expect(holdStatusesBefore("claim")).toEqual(["awaiting_verification"]);
  expect(holdStatusesBefore("accept")).toEqual(["sending"]);
  expect(holdStatusesBefore("fail")).toEqual(["sending"]);
  expect(nextHoldStatus("none", "create")).toBe("awaiting_verification");
  expect(nextHoldStatus("awaiting_verification", "claim")).toBe("sending");
  expect(nextHoldStatus("awaiting_verification", "accept")).toBeNull();
  expect(nextHoldStatus("awaiting_verification", "create")).toBeNull();
  expect(nextHoldStatus("sending", "claim")).toBeNull();
  expect(holdStatuses.filter(isHoldEnded)).toEqual(["sent", "failed", "expired"]);
  for (const status of holdStatuses.filter(isHoldEnded)) {
    for (const [, trigger] of holdTransitions) expect(nextHoldStatus(status, trigger)).toBeNull();
  }
});

test("the transitions have one target per status and trigger", () => {
  const transitions = holdTransitions.map(([from, trigger]) => `${from} ${trigger}`);
  expect(new Set(transitions).size).toBe(transitions.length);
});

test("the transitions allow at most one claim, and a reported end stays true, for any triggers at any times", () => {
  const trigger = fc.constantFrom<HoldTrigger>("claim", "accept", "fail");
  const step = fc.record({ by: trigger, wait: fc.integer({ min: 0, max: 5 * MINUTE }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let now = created;
      let current: HoldLifecycle = hold;
      let claims = 0;
      let lastStatus: HoldStatus = "awaiting_verification";
      for (const { by: trigger, wait } of steps) {
        now += wait;
        const { status } = holdStateAt(current, now);
        expect(reachableStatuses(lastStatus)).toContain(status);
        lastStatus = status;
        const next = nextHoldStatus(status, trigger);
        if (next === null) continue;
        if (trigger === "claim") claims += 1;
        current = { ...current, state: stateFor(next, now) };
        lastStatus = next;
      }
      expect(claims).toBeLessThanOrEqual(1);
      // Without further triggers every hold ends within 60 s after its expiry.
      expect(isHoldEnded(holdStateAt(current, Math.max(now, hold.expiresAt) + 60 * SECOND + 1).status)).toBe(true);
    }),
  );
});

function stateFor(status: HoldStatus, now: number): HoldLifecycle["state"] {
  if (status === "sending") return { status, claimedAt: now };
  if (status === "sent") return { status, platformMessageId: "m_1" };
  if (status === "failed") return { status, error: holdError("send_failed") };
  return { status };
}

/** A status and all statuses that can follow it. */
function reachableStatuses(from: HoldStatus): HoldStatus[] {
  const next = holdTransitions.filter(([before]) => before === from).map(([, , to]) => to);
  return [from, ...next.flatMap(reachableStatuses)];
}

const {
  holdSecret: keys,
  pepper,
  cursor,
} = deriveServiceKeys({ current: { text: "x".repeat(32), createdAt: 0 }, previous: null })(0);

test("the id of a hold is hold_ followed by a ULID", () => {
  const id = newHoldId(created);
  expect(id).toMatch(/^hold_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(isHoldId(id)).toBe(true);
  for (const other of ["", "hold_", id.slice(5), id.toLowerCase(), `${id}0`, id.replace("hold", "upl"), ` ${id}`]) {
    expect(isHoldId(other), other).toBe(false);
  }
});

test("the secret of a hold is derived from its id with its own key", () => {
  const id = newHoldId(created);
  const secret = holdSecret(keys, id);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(holdSecret(keys, id)).toBe(secret);
  expect(secret).not.toBe(holdSecret(keys, newHoldId(created)));
  for (const other of [pepper, cursor]) expect(holdSecret(other, id)).not.toBe(secret);
});

test("only the secret of a hold matches its stored hash", () => {
  const secret = holdSecret(keys, newHoldId(created));
  const hash = holdSecretHash(secret);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hash).not.toContain(secret);
  expect(isHoldSecret(secret, hash)).toBe(true);
  fc.assert(
    fc.property(fc.nat(42), fc.constantFrom("A", "B", "_"), (at, character) => {
      const other = secret.slice(0, at) + character + secret.slice(at + 1);
      expect(isHoldSecret(other, hash)).toBe(other === secret);
    }),
  );
  for (const other of ["", hash, secret.slice(0, -1), `${secret}A`]) expect(isHoldSecret(other, hash)).toBe(false);
});
