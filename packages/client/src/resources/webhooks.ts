import type { components } from "../api-types.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data, Query } from "../operations.ts";
import { type PagedList, pagedList } from "../pages.ts";

type DeliveryPage = Data<"GET /v1/webhooks/{id}/deliveries">;

/** A delivery as the list shows it. */
export type Delivery = components["schemas"]["Delivery"];

export function webhookCalls(http: HttpClient) {
  return {
    list(query: Query<"GET /v1/webhooks"> = {}, options: CallOptions = {}): Promise<Data<"GET /v1/webhooks">> {
      return http.request("GET /v1/webhooks", { query, ...options });
    },
    /** Creates an endpoint. `signing_secret` is returned once. */
    create(
      body: Body<"POST /v1/webhooks">,
      query: Query<"POST /v1/webhooks"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /v1/webhooks">> {
      return http.request("POST /v1/webhooks", { body, query, ...options });
    },
    get(
      id: string,
      query: Query<"GET /v1/webhooks/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"GET /v1/webhooks/{id}">> {
      return http.request("GET /v1/webhooks/{id}", { path: { id }, query, ...options });
    },
    update(
      id: string,
      body: Body<"PATCH /v1/webhooks/{id}">,
      query: Query<"PATCH /v1/webhooks/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"PATCH /v1/webhooks/{id}">> {
      return http.request("PATCH /v1/webhooks/{id}", { path: { id }, body, query, ...options });
    },
    delete(
      id: string,
      query: Query<"DELETE /v1/webhooks/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"DELETE /v1/webhooks/{id}">> {
      return http.request("DELETE /v1/webhooks/{id}", { path: { id }, query, ...options });
    },
    /** Rotates the signing secret. The previous one stays valid for 24 hours. */
    rotate(
      id: string,
      query: Query<"POST /v1/webhooks/{id}/rotate"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /v1/webhooks/{id}/rotate">> {
      return http.request("POST /v1/webhooks/{id}/rotate", { path: { id }, query, ...options });
    },
    /** Sends a test event. Is retried after a 429 only. */
    test(
      id: string,
      query: Query<"POST /v1/webhooks/{id}/test"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /v1/webhooks/{id}/test">> {
      return http.request("POST /v1/webhooks/{id}/test", { path: { id }, query, ...options });
    },
  };
}

/** The deliveries of an endpoint. Replays are retried after a 429 only. */
export function deliveryCalls(http: HttpClient) {
  return {
    /** Lists deliveries, newest first. */
    list(
      id: string,
      query: Query<"GET /v1/webhooks/{id}/deliveries"> = {},
      options: CallOptions = {},
    ): PagedList<DeliveryPage, Delivery> {
      return pagedList(
        (cursor = query.cursor) =>
          http.request("GET /v1/webhooks/{id}/deliveries", { path: { id }, query: { ...query, cursor }, ...options }),
        (page) => page.deliveries,
      );
    },
    get(
      id: string,
      deliveryId: string,
      options: CallOptions = {},
    ): Promise<Data<"GET /v1/webhooks/{id}/deliveries/{deliveryId}">> {
      return http.request("GET /v1/webhooks/{id}/deliveries/{deliveryId}", { path: { id, deliveryId }, ...options });
    },
    /** Lists undelivered events. */
    summary(
      id: string,
      query: Query<"GET /v1/webhooks/{id}/deliveries/summary"> = {},
      options: CallOptions = {},
    ): Promise<Data<"GET /v1/webhooks/{id}/deliveries/summary">> {
      return http.request("GET /v1/webhooks/{id}/deliveries/summary", { path: { id }, query, ...options });
    },
    /** Replays one delivery. */
    replay(
      id: string,
      deliveryId: string,
      query: Query<"POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay">> {
      const path = { id, deliveryId };
      return http.request("POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay", { path, query, ...options });
    },
    /** Replays the deliveries of a time window. Continue with `next_cursor` until it is null. */
    replayAll(
      id: string,
      query: Query<"POST /v1/webhooks/{id}/deliveries/replay">,
      options: CallOptions = {},
    ): Promise<Data<"POST /v1/webhooks/{id}/deliveries/replay">> {
      return http.request("POST /v1/webhooks/{id}/deliveries/replay", { path: { id }, query, ...options });
    },
  };
}
