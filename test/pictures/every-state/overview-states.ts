import type { PictureState } from "./states.ts";
import type { Visit } from "./visit.ts";

const LONG = "Keramikwerkstatt-und-Töpferscheibenverleihgesellschaft Marlow & Töchter";

/** A share of the day, with a peak before noon and one in the evening. */
const wave = (hour: number): number => Math.exp(-((hour - 11) ** 2) / 10) + 0.8 * Math.exp(-((hour - 19.5) ** 2) / 14);

/** An hour of a busy workspace, whose second endpoint fails in the last ones. */
function busyHour({ starts_at }: { starts_at: string }, index: number): object {
  const messages = Math.round(28 * wave(new Date(starts_at).getUTCHours()) + (index % 3));
  const part = (share: number) => Math.round(messages * share);
  return {
    starts_at,
    received: messages,
    sent: part(0.8),
    answers: {
      within_5_minutes: part(0.2),
      within_15_minutes: part(0.15),
      within_1_hour: part(0.1),
      within_4_hours: part(0.08),
      within_24_hours: part(0.04),
      later: index === 12 ? 1 : 0,
    },
    endpoints: endpoints.map(({ id }, at) => ({
      endpoint_id: id,
      delivered: at === 1 && index > 21 ? 0 : part(1.8),
      failed: at === 1 && index > 21 ? part(1.8) : 0,
      dlq: 0,
    })),
  };
}

const healthy = {
  state: "ok",
  since: null,
  failing_since: null,
  next_try_at: null,
  last_error: null,
  delivered_24h: 0,
  failed_24h: 0,
};

const endpoint = (id: string, url: string, more: object = {}) => ({
  id,
  url,
  events: ["message.received", "message.sent"],
  status: "active",
  paused_by: null,
  health: healthy,
  signing_secret_prefix: "whs_9fK2",
  secondary_active: false,
  secondary_expires_at: null,
  created_at: "2026-10-03T10:00:00.000Z",
  updated_at: "2026-10-03T10:00:00.000Z",
  ...more,
});

const open = {
  ...healthy,
  state: "circuit_open",
  since: "2026-11-26T13:31:00.000Z",
  next_try_at: "2026-11-26T14:12:00.000Z",
  last_error: "timeout",
};
const endpoints = [
  endpoint("end_1", "https://hooks.slack-bridge.example/in/7f2c"),
  endpoint("end_2", "https://erp.marlow.example/parley", { health: open }),
  endpoint("end_3", "https://hooks.old.example/marlow", {
    status: "paused",
    paused_by: "system",
    health: { ...healthy, state: "paused" },
  }),
];

interface Stats {
  readonly series: { readonly starts_at: string }[];
}

/** A workspace with the traffic of a day. */
export const busy = async ({ answers }: Visit): Promise<void> => {
  await answers.change<Stats>("GET /v1/stats", (stats) => ({
    ...stats,
    series: stats.series.map(busyHour),
    endpoints: endpoints.map(({ id }, at) => ({
      endpoint_id: id,
      delivered: 381 - at * 100,
      failed: at * 22,
      dlq: 0,
    })),
  }));
  await answers.give("GET /v1/webhooks", { endpoints });
  await answers.give("GET /v1/webhooks/*", { endpoint: endpoints[1] ?? {} });
};
const finished = ({ page }: Visit) => page.addInitScript(`localStorage.setItem("parley.started", '["demo"]')`);
const openOverview = (visit: Visit) => visit.open("/app/demo/overview");
export const troubled = ({ answers }: Visit) =>
  answers.change<{ accounts: object[] }>("GET /v1/accounts", ({ accounts }) => ({
    accounts: accounts.map((account, at) =>
      at === 0 ? { ...account, status: "needs_reauth", display_name: LONG } : account,
    ),
  }));

/** The overview, its first steps, the bars of endpoints, and the bar of an account that cannot send. */
export const overviewStates: readonly PictureState[] = [
  { name: "overview", steps: [finished, busy, openOverview], shown: "svg.chart" },
  { name: "overview-troubled", steps: [finished, busy, troubled, openOverview], shown: ".strip.bad" },
  {
    name: "overview-table",
    steps: [finished, busy, openOverview, ({ page }) => page.locator(".panel summary").click()],
    shown: ".panel table",
  },
  {
    name: "overview-start",
    steps: [
      ({ answers }) => answers.give("GET /v1/webhooks", { endpoints: [] }),
      ({ answers }) => answers.give("GET /console/team", { members: [] }),
      openOverview,
    ],
    shown: ".first-steps",
  },
  {
    name: "overview-new",
    steps: [
      ({ answers }) => answers.give("GET /v1/webhooks", { endpoints: [] }),
      ({ answers }) => answers.give("GET /console/team", { members: [] }),
      ({ answers }) => answers.give("GET /v1/accounts", { accounts: [] }),
      ({ answers }) => answers.give("GET /v1/conversations", { conversations: [], next_cursor: null }),
      openOverview,
    ],
    shown: ".first-steps",
  },
  {
    name: "overview-fails",
    steps: [finished, ({ answers }) => answers.refuse("GET /v1/stats", 500, "internal_error"), openOverview],
    shown: "main .load-problem",
  },
  { name: "webhooks-bars", steps: [busy, (visit) => visit.open("/app/demo/webhooks")], shown: "main .hour-bars" },
  {
    name: "endpoint-bars",
    steps: [busy, (visit) => visit.open("/app/demo/webhooks/end_2")],
    shown: ".endpoint-day b",
  },
  {
    name: "account-bar",
    steps: [troubled, (visit) => visit.thread("Priya Nair")],
    shown: ".strip.bad",
  },
];
