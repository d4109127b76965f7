import type { Data, Delivery } from "#client";
import type { StatsHour } from "../../../../web/console/hours/hours.ts";
import { emptyHours } from "../../../web/console/overview/stats.ts";
import { type Answer, type Call, HOUR } from "./small-world.ts";

type Endpoint = Data<"GET /v1/webhooks/{id}">["endpoint"];
type Detail = Data<"GET /v1/webhooks/{id}/deliveries/{deliveryId}">["delivery"];

const ok = (data: unknown, status = 200): Answer => ({ status, data });
const PAGE = 10;
/** A secret of the model; nothing but the dialog may show it. */
export const SIGNING_SECRET = "whs_model_secret_of_an_endpoint_0123456789";

const healthy: Endpoint["health"] = {
  state: "ok",
  since: null,
  failing_since: null,
  next_try_at: null,
  last_error: null,
  delivered_24h: 0,
  failed_24h: 0,
};

/** What an endpoint shows whose circuit is open. @param opened_at ISO 8601, as is `next_probe_at` */
export function openCircuit(opened_at: string, next_probe_at: string | null): Pick<Endpoint, "circuit" | "health"> {
  const health = { state: "circuit_open", since: opened_at, failing_since: opened_at, last_error: "connect" } as const;
  return {
    circuit: { state: "open", opened_at, next_probe_at },
    health: { ...healthy, ...health, next_try_at: next_probe_at },
  };
}

/** Endpoints and deliveries in memory. */
export class WebhookModel {
  readonly endpoints: Endpoint[] = [];
  readonly deliveries: Detail[] = [];
  /** The statistics of each hour, until now. */
  readonly hours: StatsHour[] = emptyHours(Date.now());
  /** The ids of the deliveries that were sent again. */
  readonly replayed: string[] = [];

  addEndpoint(id: string, url: string, more: Partial<Endpoint> = {}): void {
    this.endpoints.push({
      id,
      url,
      events: ["message.received", "message.sent"],
      status: "active",
      paused_by: null,
      failing_since: null,
      circuit: { state: "closed", opened_at: null, next_probe_at: null },
      health: more.status === "paused" ? { ...healthy, state: "paused" } : healthy,
      signing_secret_prefix: "whs_9fK2",
      secondary_active: false,
      secondary_expires_at: null,
      created_at: new Date(Date.now() - 50 * 24 * HOUR).toISOString(),
      updated_at: new Date(Date.now() - 50 * 24 * HOUR).toISOString(),
      ...more,
    });
  }

  /** Adds a delivery that is older than those before. */
  addDelivery(status: Delivery["status"], more: Partial<Detail> = {}): void {
    const number = this.deliveries.length + 1;
    // Not at the edge of a range of whole hours, which begins with a whole minute.
    const at = Date.now() - number * HOUR - 120_000;
    const isDelivered = status === "delivered";
    const answer = { status: isDelivered ? 200 : 503, error: isDelivered ? null : ("status" as const) };
    this.deliveries.push({
      delivery_id: `dlv_${number}`,
      event_id: `evt_${number}`,
      event_type: "message.received",
      status,
      attempt_number: 1,
      next_retry_at: status === "retrying" ? Date.now() + 300_000 : null,
      waiting_for: status === "retrying" ? "retry" : null,
      waiting_until: status === "retrying" ? Date.now() + 300_000 : null,
      last_response_status: answer.status,
      last_error: answer.error,
      last_duration_ms: 38,
      created_at: at,
      updated_at: at,
      event: {
        id: `evt_${number}`,
        type: "message.received",
        data: { message: { text: "It's here", reply_to: null } },
      },
      attempts: [
        { attempt: 1, at, ...answer, duration_ms: 38, response: isDelivered ? null : "upstream <b>error</b>" },
      ],
      ...more,
    });
  }

  /** The answer of a call about webhooks; null for another call. */
  answer({ operation, path, query, body }: Call): Answer | null {
    const [, , , id = "", , deliveryId = ""] = path.split("/").map(decodeURIComponent);
    const endpoint = this.endpoints.find((each) => each.id === id);
    if (operation === "GET /v1/webhooks") return ok({ endpoints: this.endpoints });
    if (operation === "GET /v1/stats") return ok(this.#stats(query));
    if (operation === "GET /v1/event-types") return ok({ event_types: eventTypes });
    if (operation === "POST /v1/webhooks") return this.#create(body);
    if (!path.startsWith("/v1/webhooks/")) return null;
    if (!endpoint) return { status: 404, code: "webhook_not_found" };
    const delivery = this.deliveries.find((each) => each.delivery_id === deliveryId);
    switch (operation) {
      case "GET /v1/webhooks/{id}":
        return ok({ endpoint });
      case "PATCH /v1/webhooks/{id}":
        Object.assign(endpoint, body);
        return ok({ endpoint });
      case "DELETE /v1/webhooks/{id}":
        this.endpoints.splice(this.endpoints.indexOf(endpoint), 1);
        return ok({ deleted: true });
      case "POST /v1/webhooks/{id}/rotate":
        Object.assign(endpoint, {
          secondary_active: true,
          secondary_expires_at: new Date(Date.now() + 24 * HOUR).toISOString(),
        });
        return ok({ endpoint, signing_secret: SIGNING_SECRET });
      case "POST /v1/webhooks/{id}/test":
        return ok({ delivery_id: "dlv_test" });
      case "GET /v1/webhooks/{id}/deliveries":
        return ok(this.#list(query));
      case "POST /v1/webhooks/{id}/deliveries/replay":
        return ok(this.#replayAll(query));
      default:
        if (!delivery) return { status: 404, code: "delivery_not_found" };
        return operation.startsWith("GET ") ? ok({ delivery }) : this.#replay(delivery, query);
    }
  }

  #stats(query: URLSearchParams): Data<"GET /v1/stats"> {
    const count = (...statuses: Delivery["status"][]) =>
      this.deliveries.filter(({ status }) => statuses.includes(status)).length;
    const counts = { delivered: count("delivered"), failed: count("failed", "blocked"), dlq: count("dlq") };
    const endpoints = this.endpoints.slice(0, 1).map(({ id }) => ({ endpoint_id: id, ...counts }));
    const series = query.get("series") === "hour" ? { series: this.hours } : {};
    return { messages_24h: 0, dlq_total: 0, window_hours: 24, endpoints, ...series };
  }

  #create(body: Call["body"]): Answer {
    const url = String(body.url);
    if (url.startsWith("https://10.")) {
      return { status: 400, code: "invalid_request", errors: [{ field: "url", problem: "is not allowed" }] };
    }
    this.addEndpoint("end_new", url, body.events ? { events: body.events as Endpoint["events"] } : {});
    return ok({ endpoint: this.endpoints.at(-1), signing_secret: SIGNING_SECRET }, 201);
  }

  #matching(query: URLSearchParams): Detail[] {
    const statuses = query.get("status")?.split(",") ?? null;
    const types = query.get("event_type")?.split(",") ?? null;
    const [from, to] = [query.get("from"), query.get("to")].map((time) => (time ? Date.parse(time) : null));
    return this.deliveries.filter(
      ({ status, event_type, created_at }) =>
        (statuses === null || statuses.includes(status)) &&
        (types === null || types.includes(event_type)) &&
        (!from || created_at >= from) &&
        (!to || created_at <= to),
    );
  }

  #list(query: URLSearchParams): Data<"GET /v1/webhooks/{id}/deliveries"> {
    const all = this.#matching(query);
    const start = Number(query.get("cursor") ?? 0);
    const end = start + Math.min(PAGE, Number(query.get("limit") ?? PAGE));
    const deliveries = all.slice(start, end).map(({ event: _event, attempts: _attempts, ...row }) => row);
    return { deliveries, next_cursor: end < all.length ? String(end) : null };
  }

  #replayAll(query: URLSearchParams): Data<"POST /v1/webhooks/{id}/deliveries/replay"> {
    const page = this.#matching(query).slice(0, PAGE);
    for (const delivery of page) this.#replay(delivery, query);
    return {
      matched: page.length,
      enqueued: page.length,
      skipped: 0,
      next_cursor: this.#matching(query).length > 0 ? "on" : null,
    };
  }

  #replay(delivery: Detail, query: URLSearchParams): Answer {
    if (delivery.status === "delivered" && query.get("force") !== "true") {
      return { status: 409, code: "replay_conflict" };
    }
    this.replayed.push(delivery.delivery_id);
    delivery.status = "pending";
    return ok({ delivery_id: delivery.delivery_id, status: "pending" });
  }
}

const eventTypes: Data<"GET /v1/event-types">["event_types"] = [
  ["message.received", "A message or postback of a person."],
  ["message.sent", "A message that left the account."],
  ["account.restricted", "The platform restricted an account."],
  ["test.event", "A test that a person asked for."],
].map(([type, description]) => ({
  type: type as Delivery["event_type"],
  description: String(description),
  default: true,
  schema: {},
  example: { id: "evt_1", type },
}));
