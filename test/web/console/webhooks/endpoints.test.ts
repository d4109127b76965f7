import { expect, it } from "vitest";
import type { Stats } from "../../../../web/console/hours/hours.ts";
import {
  countsLine,
  type Endpoint,
  endpointState,
  eventsLine,
  hostOf,
} from "../../../../web/console/webhooks/endpoint-state.ts";

const endpoint = (more: Partial<Endpoint>): Endpoint => ({
  id: "end_1",
  url: "https://example.com/hooks",
  events: ["message.received"],
  status: "active",
  paused_by: null,
  failing_since: null,
  circuit: { state: "closed", opened_at: null, next_probe_at: null },
  health: {
    state: "ok",
    since: null,
    failing_since: null,
    next_try_at: null,
    last_error: null,
    delivered_24h: 0,
    failed_24h: 0,
  },
  signing_secret_prefix: "whs_9fK2",
  secondary_active: false,
  secondary_expires_at: null,
  created_at: "2026-11-01T00:00:00Z",
  updated_at: "2026-11-01T00:00:00Z",
  ...more,
});
const health = (state: Endpoint["health"]["state"], more: Partial<Endpoint["health"]> = {}) => ({
  health: { ...endpoint({}).health, state, ...more },
});

const stats = (...endpoints: Stats["endpoints"]): Stats => ({
  messages_24h: 0,
  dlq_total: 0,
  window_hours: 24,
  endpoints,
});

it.each([
  [{}, "ok", "Active"],
  [health("slow"), "warn", "Slow"],
  [health("failing"), "warn", "Failing"],
  [health("circuit_open"), "warn", "Circuit open"],
  [{ status: "paused", paused_by: "console:usr_1", ...health("paused") }, "off", "Paused"],
  [{ status: "paused", paused_by: "system", ...health("paused") }, "bad", "Paused by Parley"],
  [{ status: "deleted", ...health("paused") }, "off", "Deleted"],
] as const)("an endpoint with %o is shown as %s: %s", (more, tone, words) => {
  expect(endpointState(endpoint(more))).toEqual({ tone, words });
});

it("three event types are named, and more are counted", () => {
  expect(eventsLine(["message.received", "message.sent"])).toBe("message.received, message.sent");
  expect(eventsLine(["message.received", "message.sent", "test.event", "message.failed"])).toBe(
    "message.received, message.sent and 2 more",
  );
});

it("a share is never 100 % while a delivery failed, and never 0 % while one succeeded", () => {
  const counts = (delivered: number, failed: number, dlq = 0) =>
    countsLine(endpoint({}), stats({ endpoint_id: "end_1", delivered, failed, dlq }));
  expect(countsLine(endpoint({}), stats())).toEqual({ share: "", words: "nothing to deliver" });
  expect(counts(1_190, 0)).toEqual({ share: "100%", words: "1,190 delivered, 0 not" });
  expect(counts(99_999, 0, 1).share).toBe("99.9%");
  expect(counts(1, 99_999).share).toBe("0.1%");
  expect(counts(0, 3).share).toBe("0%");
});

it("the counts are those of the bars beside them, and those of the endpoint until the bars are there", () => {
  const busy = endpoint(health("ok", { delivered_24h: 7, failed_24h: 1 }));
  expect(countsLine(busy, undefined)).toEqual({ share: "87.5%", words: "7 delivered, 1 not" });
  expect(countsLine(busy, stats({ endpoint_id: "end_1", delivered: 9, failed: 0, dlq: 1 }))).toEqual({
    share: "90%",
    words: "9 delivered, 1 not",
  });
  expect(countsLine(busy, stats()).share).toBe("");
});

it("the host of an address is what must be typed before it is deleted", () => {
  expect(hostOf("https://hooks.example.com:8443/a?b=c")).toBe("hooks.example.com");
});
