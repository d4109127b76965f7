import type { Millis } from "#base/kernel/time.ts";
import type { AddedEndpoint, AppDelivery, AppReport, InspectedMessage, SimulatorHost } from "#simulator";

/** What the simulator needs from a stack that is ready. */
export interface HostConnection {
  readonly baseUrl: string;
  /** A key of the demo tenant. Absent: nothing is seeded, so nothing can be reported. */
  readonly key: string | undefined;
  /** A live key of the demo tenant, for what changes it: a replay, an endpoint. */
  readonly liveKey: string | undefined;
  advanceClock(by: Millis): Promise<void>;
}

/** The simulator's view of the stack. The simulator starts first, so the connection follows. */
export interface StackHost extends SimulatorHost {
  connect(connection: HostConnection): void;
}

/** Events are published and delivered within this time of their webhook. */
const SETTLE_MS = 120_000;
/** An event is never older than its webhook, but the two clocks may differ by a moment. */
const CLOCK_TOLERANCE_MS = 5_000;
const DELIVERIES_MAX = 40;

interface DeliveryRow {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly event: { readonly data?: { readonly message?: { readonly id?: unknown } } } | null;
}

/**
 * Reports what Parley made of a message, from the public API alone: a developer sees what their own program can read.
 * The key stays in this process.
 */
export function createStackHost(): StackHost {
  let connection: HostConnection | null = null;
  return {
    connect(ready) {
      connection = ready;
    },
    async advanceClock(by) {
      if (connection === null) throw new Error("The stack is still starting.");
      await connection.advanceClock(by);
    },
    async inspect(message) {
      if (connection?.key === undefined) return emptyReport(NO_TENANT);
      return await inspect(apiOf(connection.baseUrl, connection.key), message);
    },
    async replay({ endpoint_id: endpoint, delivery_id: delivery }) {
      if (connection?.liveKey === undefined) return NO_TENANT;
      const path = `/v1/webhooks/${encodeURIComponent(endpoint)}/deliveries/${encodeURIComponent(delivery)}/replay`;
      const { status, message } = await apiOf(connection.baseUrl, connection.liveKey)(`${path}?force=true`, {});
      return status < 300 ? null : message;
    },
    async addEndpoint(url) {
      if (connection?.liveKey === undefined) return { id: null, secret: null, problem: NO_TENANT };
      return await addEndpoint(apiOf(connection.baseUrl, connection.liveKey), url);
    },
  };
}

const NO_TENANT = "Parley has no demo tenant. Start it with PARLEY_SEED=1.";

/** The page of the simulator continues it: "and send another message". */
const ENDPOINT_HINT = "Run `npx parley listen` (in the repository `npm run admin -- listen`)";

const emptyReport = (problem: string): AppReport => ({ message: null, deliveries: [], problem });

/** A GET, or a POST of a body. */
type Api = (path: string, body?: object) => Promise<ApiAnswer>;

interface ApiAnswer {
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly message: string;
}

function apiOf(baseUrl: string, key: string): Api {
  return async (path, posted) => {
    const request = posted === undefined ? {} : { method: "POST", body: JSON.stringify(posted) };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${baseUrl}${path}`, { ...request, headers });
    const body = (await response.json()) as { data?: Record<string, unknown>; error?: { message?: string } };
    const message = body.error?.message ?? `${path} answered ${response.status}`;
    return { status: response.status, data: body.data ?? {}, message };
  };
}

async function inspect(api: Api, { mid, from, to }: InspectedMessage): Promise<AppReport> {
  const [stored, listed] = await Promise.all([api(`/v1/messages/${encodeURIComponent(mid)}`), api("/v1/webhooks")]);
  if (listed.status !== 200) return emptyReport(listed.message);
  const endpoints = (listed.data.endpoints ?? []) as { id: string; url: string }[];
  const window = { from: from - CLOCK_TOLERANCE_MS, to: to + SETTLE_MS };
  const deliveries = await Promise.all(endpoints.map((endpoint) => deliveriesOf(api, endpoint, { mid, ...window })));
  return {
    message: stored.status === 200 ? (stored.data.message ?? null) : null,
    deliveries: deliveries.flat(),
    problem: null,
    endpoint_hint: ENDPOINT_HINT,
  };
}

/** Adds an endpoint for every event. Its signing secret is returned once. */
async function addEndpoint(api: Api, url: string): Promise<AddedEndpoint> {
  const { status, data, message } = await api("/v1/webhooks", { url });
  const { endpoint, signing_secret: secret } = data as { endpoint?: { id: string }; signing_secret?: string };
  if (status >= 300 || endpoint === undefined || secret === undefined)
    return { id: null, secret: null, problem: message };
  return { id: endpoint.id, secret, problem: null };
}

/** The deliveries of the message's events to one endpoint, oldest first. */
async function deliveriesOf(
  api: Api,
  endpoint: { id: string; url: string },
  { mid, from, to }: InspectedMessage,
): Promise<AppDelivery[]> {
  const base = `/v1/webhooks/${endpoint.id}/deliveries`;
  const { data } = await api(`${base}?from=${from}&to=${to}&limit=${DELIVERIES_MAX}`);
  const rows = (data.deliveries ?? []) as DeliveryRow[];
  const details = await Promise.all(rows.map(({ delivery_id: id }) => api(`${base}/${encodeURIComponent(id)}`)));
  return details
    .map((detail) => detail.data.delivery as DeliveryRow | undefined)
    .filter((delivery) => delivery?.event?.data?.message?.id === mid)
    .map((delivery) => ({ endpoint: endpoint.url, endpoint_id: endpoint.id, delivery }))
    .reverse();
}
