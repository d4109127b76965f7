import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR } from "#base/kernel/time.ts";
import {
  conversationId,
  isConversationExpired,
  parseConversationId,
  readConversationId,
} from "#features/inbox/rules/messages.ts";
import { windowAt } from "#features/inbox/rules/messaging-window.ts";

const acme = parseTenant("acme") as TenantId;
const other = parseTenant("other") as TenantId;
const at = 1_790_000_000_000;

test("the reply window ends after exactly 24 hours, the human-agent window after exactly seven days", () => {
  expect(windowAt(at, at + 24 * HOUR - 1)).toEqual({ state: "open_24h", expiresAt: at + 24 * HOUR });
  expect(windowAt(at, at + 24 * HOUR)).toEqual({ state: "human_agent_7d", expiresAt: at + 7 * DAY });
  expect(windowAt(at, at + 7 * DAY - 1)).toEqual({ state: "human_agent_7d", expiresAt: at + 7 * DAY });
  expect(windowAt(at, at + 7 * DAY)).toEqual({ state: "closed", expiresAt: at + 7 * DAY });
  expect(windowAt(null, at)).toEqual({ state: "no_inbound", expiresAt: null });
});

test("a conversation expires seven days after its last message", () => {
  expect(isConversationExpired(at, at + 7 * DAY - 1)).toBe(false);
  expect(isConversationExpired(at, at + 7 * DAY)).toBe(true);
});

test("an id parses only for its own tenant", () => {
  const ref = { tenant: acme, account: { platform: "instagram", externalId: "178414" }, participantId: "55" } as const;
  const id = conversationId(ref);
  expect(id).toBe("CONV#acme#instagram#178414#55");
  expect(parseConversationId(acme, id)).toEqual(ref);
  expect(parseConversationId(other, id)).toBeNull();
});

test.each([
  "",
  "CONV",
  "CONV#acme",
  "CONV#acme#instagram#1",
  "CONV#acme#instagram#1#2#3",
  "CONV#acme#telegram#1#2",
  "CONV#ACME#instagram#1#2",
  "CONV#acme#instagram##2",
  "conv#acme#instagram#1#2",
  "CONV#acme#instagram#1#é",
  `CONV#acme#instagram#1#${"9".repeat(65)}`,
])("%j is not a conversation id", (id) => {
  expect(readConversationId(id)).toBeNull();
});

test("parsing any text as an id does not throw", () => {
  fc.assert(fc.property(fc.string(), (text) => void readConversationId(`CONV#${text}`)));
});

test("the window's states follow each other as in an hour-by-hour reference", () => {
  // The reference counts hours one by one instead of comparing sums.
  const reference = (lastInboundAt: number | null, now: number) => {
    if (lastInboundAt === null) return { state: "no_inbound", expiresAt: null };
    let [hours, at] = [0, lastInboundAt];
    while (at + HOUR <= now && hours < 7 * 24) {
      at += HOUR;
      hours++;
    }
    const day = new Date(lastInboundAt);
    day.setUTCDate(day.getUTCDate() + 1);
    const week = new Date(lastInboundAt);
    week.setUTCDate(week.getUTCDate() + 7);
    if (hours < 24) return { state: "open_24h", expiresAt: day.getTime() };
    return { state: hours < 7 * 24 ? "human_agent_7d" : "closed", expiresAt: week.getTime() };
  };
  const instant = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 });
  const edges = [0, 1, -1].flatMap((off) => [24 * HOUR + off, 7 * 24 * HOUR + off, off]);
  const elapsed = fc.oneof(fc.integer({ min: -HOUR, max: 9 * 24 * HOUR }), fc.constantFrom(...edges));
  fc.assert(
    fc.property(fc.option(instant), elapsed, (lastInboundAt, after) => {
      const now = (lastInboundAt ?? 1_800_000_000_000) + after;
      expect(windowAt(lastInboundAt, now)).toEqual(reference(lastInboundAt, now));
    }),
    { numRuns: 2_000 },
  );
});
