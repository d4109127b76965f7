import type { components } from "../api-types.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data, Query } from "../operations.ts";

// The calls of a console: they take the session of a signed-in person, and no API key.

/** A member of a tenant. */
export type Member = components["schemas"]["Member"];
/** An invite, as the members of its tenant see it. */
export type Invite = components["schemas"]["Invite"];
/** A tenant of the signed-in person, with their role. */
export type OwnTenant = components["schemas"]["OwnTenant"];

/** The signed-in person. */
export function meCalls(http: HttpClient) {
  return {
    /** Gets the signed-in person, their tenants, the CSRF token and the invites that wait for them. */
    get(options: CallOptions = {}): Promise<Data<"GET /console/me">> {
      return http.request("GET /console/me", options);
    },
    /** Changes the person's name: one line of 1 to 80 characters. */
    update(body: Body<"PATCH /console/me">, options: CallOptions = {}): Promise<Data<"PATCH /console/me">> {
      return http.request("PATCH /console/me", { body, ...options });
    },
  };
}

export function teamCalls(http: HttpClient) {
  return {
    list(query: Query<"GET /console/team"> = {}, options: CallOptions = {}): Promise<Data<"GET /console/team">> {
      return http.request("GET /console/team", { query, ...options });
    },
    /** Changes the role of a member. */
    update(
      user_id: string,
      body: Body<"PATCH /console/team/{user_id}">,
      query: Query<"PATCH /console/team/{user_id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"PATCH /console/team/{user_id}">> {
      return http.request("PATCH /console/team/{user_id}", { path: { user_id }, body, query, ...options });
    },
    /** Removes a member. With the id of the signed-in person, leaves the tenant. */
    remove(
      user_id: string,
      query: Query<"DELETE /console/team/{user_id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"DELETE /console/team/{user_id}">> {
      return http.request("DELETE /console/team/{user_id}", { path: { user_id }, query, ...options });
    },
  };
}

export function inviteCalls(http: HttpClient) {
  return {
    /** Lists the invites of a tenant, oldest first. */
    list(query: Query<"GET /console/invites"> = {}, options: CallOptions = {}): Promise<Data<"GET /console/invites">> {
      return http.request("GET /console/invites", { query, ...options });
    },
    /** Invites an email address, which gets a mail. */
    create(
      body: Body<"POST /console/invites">,
      query: Query<"POST /console/invites"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /console/invites">> {
      return http.request("POST /console/invites", { body, query, ...options });
    },
    /** Sends the mail of an invite again. */
    resend(
      id: string,
      query: Query<"POST /console/invites/{id}/resend"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /console/invites/{id}/resend">> {
      return http.request("POST /console/invites/{id}/resend", { path: { id }, query, ...options });
    },
    revoke(
      id: string,
      query: Query<"DELETE /console/invites/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"DELETE /console/invites/{id}">> {
      return http.request("DELETE /console/invites/{id}", { path: { id }, query, ...options });
    },
    /** Accepts an invite of the signed-in person: one of `invites` of `me.get`. */
    accept(id: string, options: CallOptions = {}): Promise<Data<"POST /console/invites/{id}/accept">> {
      return http.request("POST /console/invites/{id}/accept", { path: { id }, ...options });
    },
    /** Declines an invite of the signed-in person. */
    decline(id: string, options: CallOptions = {}): Promise<Data<"POST /console/invites/{id}/decline">> {
      return http.request("POST /console/invites/{id}/decline", { path: { id }, ...options });
    },
  };
}

export function tenantCalls(http: HttpClient) {
  return {
    /** Lists the tenants of the signed-in person. */
    list(options: CallOptions = {}): Promise<Data<"GET /console/tenants">> {
      return http.request("GET /console/tenants", options);
    },
    /** Creates a tenant with the signed-in person as its owner. `id` is its slug. */
    create(body: Body<"POST /console/tenants">, options: CallOptions = {}): Promise<Data<"POST /console/tenants">> {
      return http.request("POST /console/tenants", { body, ...options });
    },
    get(slug: string, options: CallOptions = {}): Promise<Data<"GET /console/tenants/{slug}">> {
      return http.request("GET /console/tenants/{slug}", { path: { slug }, ...options });
    },
    /** Changes the name of a tenant. */
    update(
      slug: string,
      body: Body<"PATCH /console/tenants/{slug}">,
      options: CallOptions = {},
    ): Promise<Data<"PATCH /console/tenants/{slug}">> {
      return http.request("PATCH /console/tenants/{slug}", { path: { slug }, body, ...options });
    },
  };
}
