import type { Visit } from "./visit.ts";

// What the pages beside the inbox get in the place of the demo's few rows: of each kind one, at fixed times.

const LONG = "Keramikwerkstatt-und-Töpferscheibenverleihgesellschaft Marlow & Töchter";
const NOON = Date.parse("2026-11-26T14:00:00.000Z");
const MINUTE = 60_000;
const minutesAgo = (minutes: number): number => NOON - minutes * MINUTE;
const iso = (minutes: number): string => new Date(minutesAgo(minutes)).toISOString();

const event = {
  id: "evt_01KJQ3ZQ8M4T7W2X5V9B1C6D3E",
  type: "message.received",
  api_version: "1.0.0",
  tenant_id: "demo",
  created_at: iso(30),
  data: {
    message: { direction: "inbound", text: "Could you ship it before Christmas?", attachments: [], reply_to: null },
  },
};

interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}
const timeout: Outcome = { status: null, error: "timeout", duration_ms: 15_000 };
const answered = (status: number, duration_ms: number): Outcome => ({
  status,
  error: status < 300 ? null : "status",
  duration_ms,
});

function delivery(number: number, minutes: number, state: string, type: string, last: Outcome, attempts: number) {
  const isWaiting = state === "retrying";
  return {
    delivery_id: `dlv_01KJQ3ZQ${number}M4T7W2X5V9B1C6D3F`,
    event_id: event.id,
    event_type: type,
    status: state,
    attempt_number: attempts,
    next_retry_at: null,
    waiting_for: isWaiting ? "endpoint" : null,
    waiting_until: isWaiting ? minutesAgo(-12) : null,
    last_response_status: last.status,
    last_error: last.error,
    last_duration_ms: last.duration_ms,
    created_at: minutesAgo(minutes),
    updated_at: minutesAgo(minutes),
  };
}

const deliveries = [
  delivery(1, 30, "retrying", "message.received", timeout, 3),
  delivery(2, 32, "retrying", "message.sent", timeout, 2),
  delivery(3, 33, "retrying", "message.received", answered(503, 212), 2),
  delivery(4, 178, "failed", "message.received", answered(410, 48), 1),
  delivery(5, 9_000, "dlq", "message.reaction", answered(500, 91), 10),
  delivery(6, 9_025, "blocked", "account.restricted", { ...timeout, error: "gate" }, 0),
  delivery(7, 9_028, "delivered", "message.received", answered(200, 38), 1),
];

/** Deliveries of each status, and the attempts of the first of them. */
export async function giveDeliveries({ answers }: Visit): Promise<void> {
  const attempt = (number: number, minutes: number, outcome: Outcome, response: string | null) => ({
    attempt: number,
    at: minutesAgo(minutes),
    ...outcome,
    response,
  });
  await answers.give("GET /v1/webhooks/*/deliveries", { deliveries, next_cursor: null });
  await answers.give("GET /v1/webhooks/*/deliveries/*", {
    delivery: {
      ...deliveries[0],
      event,
      attempts: [
        attempt(1, 30, answered(503, 212), "upstream connect error"),
        attempt(2, 29.9, timeout, null),
        attempt(3, 24.9, timeout, null),
      ],
    },
  });
}

const key = (id: string, label: string, more: object = {}) => ({
  id,
  prefix: `svc_live_${id}`,
  scope: "live",
  strict: false,
  label,
  status: "active",
  created_at: "2026-10-03T10:00:00.000Z",
  last_used_at: iso(20),
  ...more,
});

/** A live key, a test key, one that was never used, and one that was revoked. */
export function giveKeys({ answers }: Visit): Promise<void> {
  const keys = [
    key("9fKd", "Order desk"),
    key("t41b", "Nightly report", { scope: "test", prefix: "svc_test_t41b", strict: true, last_used_at: iso(720) }),
    key("Qm2x", LONG, { created_at: "2026-06-01T10:00:00.000Z", last_used_at: null }),
    key("a0Zz", "Till", { status: "revoked" }),
  ];
  return answers.give("GET /v1/keys", { keys });
}

/** A key that is created. */
export function giveNewKey({ answers }: Visit): Promise<void> {
  const secret = "svc_live_Vr7nExample0123456789abcdefghijklmnopqrstuvwx";
  return answers.give("POST /v1/keys", { ...key("Vr7n", "Help desk", { last_used_at: null }), secret }, 201);
}

/** A signing secret that is rotated. */
export function giveNewSecret({ answers }: Visit): Promise<void> {
  const signing_secret = "whs_ExampleSecretOfAnEndpoint0123456789abcdefg=";
  return answers.give("POST /v1/webhooks/*/rotate", { endpoint: {}, signing_secret });
}

/** An invite that waits, one that has expired, and one that was declined. */
export function giveInvites({ answers }: Visit): Promise<void> {
  const invite = (id: string, email: string, more: object = {}) => ({
    id,
    tenant: "demo",
    email,
    role: "agent",
    status: "pending",
    invited_by: "cli",
    created_at: "2026-11-24T10:00:00.000Z",
    expires_at: "2026-12-01T10:00:00.000Z",
    accepted_at: null,
    ...more,
  });
  return answers.give("GET /console/invites", {
    invites: [
      invite("inv_1", "kim@example.com"),
      invite("inv_2", `${"very.".repeat(8)}long@example.com`, { status: "expired", role: "admin" }),
      invite("inv_3", "pat@example.com", { status: "declined" }),
    ],
  });
}

/** What people, a key and Parley did. */
export function giveAudit({ answers }: Visit): Promise<void> {
  const id = (number: number) => `01KJQ3ZQ8M4T7W2X5V9B1C6D${number}E`;
  const entry = (number: number, minutes: number, actor: string, action: string, more: object = {}) => ({
    id: id(number),
    at: iso(minutes),
    actor,
    action,
    resource: `endpoint:${id(9)}`,
    ip: actor === "system" ? null : "203.0.113.7",
    detail: {},
    ...more,
  });
  const conversation = "conversation:CONV#demo#instagram#17841400000000077#993";
  const audit = [
    entry(1, 3, "system", "webhook.auto_pause", { detail: { reason: "failing" } }),
    entry(2, 14, "key:9fKd", "conversation.erase", { resource: conversation, detail: { messages: 41 } }),
    entry(3, 40, "cli", "invite.create", { resource: "invite:inv_1", detail: { role: "agent" } }),
    entry(4, 70, "key:9fKd", "webhook.bulk_replay", { detail: { enqueued: 44 } }),
    entry(5, 1_500, "cli", "key.create", { resource: "key:t41b", detail: { scope: "test" } }),
    entry(6, 1_510, "key:9fKd", "webhook.create", { detail: { events: 2 } }),
    entry(7, 9_100, "cli", "account.connect", { resource: "account:instagram#17841400000000077" }),
    entry(8, 9_200, "cli", "tenant.create", { resource: "tenant:demo", ip: null }),
  ];
  return answers.give("GET /v1/audit", { audit, next_cursor: null });
}
