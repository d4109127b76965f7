import type { components } from "../api-types.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data, Query } from "../operations.ts";
import { type PagedList, pagedList } from "../pages.ts";

type AuditPage = Data<"GET /v1/audit">;

/** A connected account. */
export type Account = components["schemas"]["Account"];
/** An entry of the audit log. */
export type AuditEntry = components["schemas"]["AuditEntry"];

export function accountCalls(http: HttpClient) {
  return {
    list(query: Query<"GET /v1/accounts"> = {}, options: CallOptions = {}): Promise<Data<"GET /v1/accounts">> {
      return http.request("GET /v1/accounts", { query, ...options });
    },
    disconnect(
      account_key: string,
      query: Query<"DELETE /v1/accounts/{account_key}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"DELETE /v1/accounts/{account_key}">> {
      return http.request("DELETE /v1/accounts/{account_key}", { path: { account_key }, query, ...options });
    },
  };
}

export function keyCalls(http: HttpClient) {
  return {
    list(query: Query<"GET /v1/keys"> = {}, options: CallOptions = {}): Promise<Data<"GET /v1/keys">> {
      return http.request("GET /v1/keys", { query, ...options });
    },
    /** Creates an API key. `secret` is returned once. */
    create(
      body: Body<"POST /v1/keys"> = {},
      query: Query<"POST /v1/keys"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /v1/keys">> {
      return http.request("POST /v1/keys", { body, query, ...options });
    },
    revoke(
      id: string,
      query: Query<"DELETE /v1/keys/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"DELETE /v1/keys/{id}">> {
      return http.request("DELETE /v1/keys/{id}", { path: { id }, query, ...options });
    },
  };
}

export function auditCalls(http: HttpClient) {
  return {
    /** Lists the audit log, newest first. */
    list(query: Query<"GET /v1/audit"> = {}, options: CallOptions = {}): PagedList<AuditPage, AuditEntry> {
      return pagedList(
        (cursor = query.cursor) => http.request("GET /v1/audit", { query: { ...query, cursor }, ...options }),
        (page) => page.audit,
      );
    },
  };
}

export function statsCalls(http: HttpClient) {
  return {
    get(query: Query<"GET /v1/stats"> = {}, options: CallOptions = {}): Promise<Data<"GET /v1/stats">> {
      return http.request("GET /v1/stats", { query, ...options });
    },
  };
}
