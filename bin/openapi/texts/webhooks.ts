import { oneOf, type Texts } from "../describe/texts.ts";

/** Webhook endpoints and their deliveries. */
export const webhookTexts: Texts = {
  "/v1/webhooks/{id}": "The id of the webhook endpoint.",
  "/v1/webhooks/{id}/deliveries/{deliveryId}": "The id of the delivery, also that of the header `Svc-Delivery-Id`.",

  listEventTypes:
    "Returns every event type that an endpoint can receive, with the JSON Schema of its body and an example. It is the same for every tenant.",
  "ListEventTypesData.event_types": "The event types, in the order of the documentation.",
  "ListEventTypesData.event_types[].description": "When an event of this type is sent.",
  "ListEventTypesData.event_types[].default":
    "Whether an endpoint that was created without `events` receives it. The others are for endpoints that name them.",
  "ListEventTypesData.event_types[].schema": "The JSON Schema of the whole body that an endpoint gets.",
  "ListEventTypesData.event_types[].example": "A whole body, as an endpoint gets it.",

  listWebhooks:
    "Returns the active and paused endpoints of the tenant, at most 20, without pages. Secrets are not returned.",
  "ListWebhooksData.endpoints": "The endpoints that are not deleted.",
  createWebhook:
    "Creates an endpoint and returns its signing secret, which is never returned again. The URL must be https with a public host: an address that Parley would not call is 400 `invalid_request` with the reason in `detail`. A tenant has at most 20 endpoints: 409 `endpoint_limit`. Each DNS lookup of a host counts toward a limit: 429.",
  CreateWebhookRequest: "The body of `createWebhook`: where events are sent, and which.",
  "CreateWebhookRequest.url": "The public https URL that receives events by `POST`. Redirects are not followed.",
  "CreateWebhookRequest.events":
    "The types that it receives. Absent: all but `conversation.updated`, which an endpoint receives only if it names it. Duplicates count once; an unknown type or an empty list is 400.",
  getWebhook:
    "Returns one endpoint with its health. Its signing secret is not returned. A deleted one is 404 `endpoint_not_found`.",
  updateWebhook:
    "Changes the fields that the body has; the others keep their values. The events of a paused endpoint are stored as `blocked` deliveries. After the endpoint is active again, replay them with `status=blocked`. A new URL is checked as on creation.",
  "UpdateWebhookRequest.url": "The new URL, checked as on creation.",
  "UpdateWebhookRequest.events": "The types that it receives from now on. They replace the earlier ones.",
  "UpdateWebhookRequest.status": oneOf("Whether events are delivered.", {
    active: "They are delivered. It also closes an open circuit.",
    paused: "They are stored as `blocked` deliveries.",
  }),
  deleteWebhook:
    "Deletes the endpoint and erases its signing secrets. Deliveries that wait become `failed`. The delivery history stays readable under the id. A second call is 404.",
  "DeleteWebhookData.deleted": "Always `true`: the endpoint is deleted.",
  rotateWebhookSecret:
    "Creates a new signing secret and returns it; it is never returned again. The previous secret also signs deliveries for another 24 hours, so that a receiver has time to change it. One that an earlier rotation replaced ends at once.",
  sendTestEvent:
    "Sends a `test.event` to this endpoint by the real signing and delivery path, regardless of the types that it subscribes to. The delivery is asynchronous: read it by its id. A paused endpoint gets a `blocked` delivery.",
  "SendTestEventData.delivery_id": "The id of the delivery, by which its outcome can be read.",

  IssuedEndpoint: "An endpoint with a signing secret that was created by this request.",
  "IssuedEndpoint.signing_secret": "The signing secret: `whs_` and base64. Store it now: no later response has it.",

  Endpoint: "A URL of a tenant that receives events.",
  "Endpoint.id": "The id of the endpoint, a ULID.",
  "Endpoint.url": "The https URL that receives events.",
  "Endpoint.events": "The event types that the endpoint receives.",
  "Endpoint.paused_by":
    "Who paused the endpoint, in the form of an audit entry's `actor`: `system` is Parley itself, after a 410 or days of failures. Null unless it is paused, and where an earlier release paused it.",
  "Endpoint.failing_since":
    "The first failed attempt since the last success, in ISO 8601. Null without one, and again when `url` or `status` is changed.",
  "Endpoint.circuit": "The circuit breaker. Both times are null while it is `closed`.",
  "Endpoint.circuit.state": oneOf("Whether the endpoint is called.", {
    closed: "It is called.",
    open: "It is not called after 10 failed attempts in a row. Its deliveries wait without losing attempts.",
    probing: "One delivery is sent to find out whether it works again.",
  }),
  "Endpoint.circuit.opened_at": "When the circuit opened, in ISO 8601. Null while it is closed.",
  "Endpoint.circuit.next_probe_at":
    "When the next probe is sent, in ISO 8601: 1 to 30 minutes after the last. Null while the circuit is closed.",
  "Endpoint.health": "How the endpoint is, and how its deliveries of a day ended.",
  "Endpoint.health.state": oneOf("The first of these that applies.", {
    paused: "It is not called.",
    circuit_open: "It is not called but for a probe at `next_try_at`.",
    failing: "Its newest attempt failed.",
    slow: "It answers late, so that its attempts wait for a free slot.",
    ok: "None of the others.",
  }),
  "Endpoint.health.since":
    "Since when it is in that state, in ISO 8601; of a paused endpoint, its last update. Null for `ok` and `slow`.",
  "Endpoint.health.failing_since": "The first failed attempt since the last success, in ISO 8601. Null without one.",
  "Endpoint.health.next_try_at": "The next probe of an open circuit, in ISO 8601. Null in any other state.",
  "Endpoint.health.last_error":
    "The class of the newest failure since the last success, as `last_error` of a delivery names it. Null without one, and while only an earlier release saw it.",
  "Endpoint.health.delivered_24h": "The deliveries that succeeded in the current hour and the 24 hours before it.",
  "Endpoint.health.failed_24h":
    "The deliveries that ended as `failed`, `blocked` or `dlq` in the same time. A replay reduces no count.",
  "Endpoint.signing_secret_prefix":
    "The first 12 characters of the current signing secret, by which secrets are distinguished.",
  "Endpoint.secondary_active": "Whether the previous secret still signs: `true` for 24 hours after a rotation.",
  "Endpoint.secondary_expires_at": "When the previous secret ends, in ISO 8601. Null if none is active.",
  "Endpoint.updated_at": "When the URL, the events, the status or the secret was last changed, in ISO 8601.",

  listDeliveries:
    "Returns the deliveries of the endpoint, newest first. `from` and `to` select by the time of the event, both included. With `status` or `event_type` a page examines at most 200 deliveries: it may be short or empty and still return a `next_cursor`. An endpoint that does not exist has an empty page, and a deleted one its history.",
  "listDeliveries?from": "The earliest time of the event, included: ISO 8601 or epoch milliseconds.",
  "listDeliveries?to": "The latest time of the event, included: ISO 8601 or epoch milliseconds.",
  "ListDeliveriesData.deliveries": "The deliveries of this page. It may be empty while `next_cursor` is not null.",
  summarizeDeliveries:
    "Returns the deliveries that did not succeed, newest first, without pages. It examines at most 1,000. It is not audited.",
  "summarizeDeliveries?since":
    "The earliest time of the event, included: ISO 8601 or epoch milliseconds. Default: 24 hours ago.",
  "SummarizeDeliveriesData.deliveries": "The deliveries that did not succeed, newest first.",
  "SummarizeDeliveriesData.truncated": "Whether there may be older ones: only the most recent 1,000 were examined.",
  getDelivery:
    "Returns the delivery with the body of its event and its last ten attempts. Numbers of attempts may repeat: a failed probe of an open circuit consumes no attempt, and a replay starts again at 1. An attempt without a status and an error was started by a process that died.",
  replayDelivery:
    "Gives the delivery ten new attempts, from now. One that is `delivered` requires `force=true`; one that is `pending`, `attempting` or `retrying` is 409 `replay_conflict`. 7 days after the event its body is gone: 409 `replay_expired`. The receiver gets the same event id again.",
  "replayDelivery?force": "`true` also replays a delivery that succeeded. Any other value counts as absent.",
  "ReplayDeliveryData.delivery_id": "The id of the delivery, which stays the same.",
  "ReplayDeliveryData.status": "Always `pending`: the first new attempt is due.",
  replayDeliveries:
    "Gives each matching delivery ten new attempts, oldest first. Each parameter is read from the query or the body; the query wins. To include events that were delivered, name `delivered` in `status` and set `force=true`; without `force` it is 409 `replay_conflict`. `limit` caps the rows examined per call: repeat the call with `next_cursor` until it is null. Deliveries that are in progress are skipped.",
  "replayDeliveries?from":
    "The earliest time of the event, included: ISO 8601 or epoch milliseconds. Required, here or in the body.",
  "replayDeliveries?to": "The latest time of the event, included: ISO 8601 or epoch milliseconds. Default: now.",
  "replayDeliveries?force": "`true` permits `delivered` in `status`. Any other value counts as absent.",
  ReplayDeliveriesRequest: "The window of a bulk replay. Each field can also be a parameter of the query, which wins.",
  "ReplayDeliveriesRequest.from":
    "The earliest time of the event, included: ISO 8601 or epoch milliseconds. Required, here or in the query.",
  "ReplayDeliveriesRequest.to": "The latest time of the event, included: ISO 8601 or epoch milliseconds. Default: now.",
  "ReplayDeliveriesRequest.force":
    "The text `true` or the boolean permits `delivered` in `status`. Any other value counts as absent.",
  "ReplayDeliveriesData.matched": "How many deliveries of this page were in the window with one of the statuses.",
  "ReplayDeliveriesData.enqueued": "How many of them are attempted again.",
  "ReplayDeliveriesData.skipped":
    "How many of them were left as they are: an attempt is in progress, or the body is gone.",

  Delivery: "One event for one endpoint. Its times are epoch milliseconds, unlike all others.",
  "Delivery.delivery_id": "The id of the delivery. It follows from the event and the endpoint, and a replay keeps it.",
  "Delivery.event_id": "The id of the event, by which receivers de-duplicate.",
  "Delivery.attempt_number": "How many attempts of the ten were made. 0 before the first and after a replay.",
  "Delivery.next_retry_at": "When the next attempt is due, in epoch milliseconds. Null if none is planned.",
  "Delivery.waiting_for": oneOf("What the delivery waits for. Null while an attempt is made, and when it has ended.", {
    endpoint: "The circuit of its endpoint is open.",
    retry: "The time of the next attempt has not come.",
    slot: "A free worker, or a free slot of a slow endpoint.",
  }),
  "Delivery.waiting_until":
    "Until when it waits at least, in epoch milliseconds: the next probe of the endpoint, or the next attempt. Null where no time is known.",
  "Delivery.last_response_status": "The HTTP status of the last response. Null if there was none.",
  "Delivery.last_error":
    "Why the last attempt failed. `tls`: the certificate is not valid for the name, or the receiver does not speak HTTP/1.1, with which Parley calls: one that speaks HTTP/2 alone refuses the connection. Null after a success and before the first attempt.",
  "Delivery.last_duration_ms":
    "How long the last attempt waited for its response, in milliseconds: from the last byte of the request, without delays of Parley's own process. From the start of the attempt, if the request was not sent. Null before the first attempt.",
  "Delivery.created_at": "When the event happened, in epoch milliseconds. Windows of a replay select by it.",
  "Delivery.updated_at": "When the status last changed, in epoch milliseconds.",
  DeliveryDetail: "A delivery with its event and its last attempts.",
  "DeliveryDetail.attempts[].attempt": "The number of the attempt, from 1.",
  "DeliveryDetail.attempts[].status": "The HTTP status of the response. Null without one.",
  "DeliveryDetail.attempts[].error": "Why the attempt failed. Null for a success.",
  "DeliveryDetail.attempts[].duration_ms":
    "How long the attempt waited for its response, in milliseconds, as in `last_duration_ms`. Null for one that did not end.",
};
