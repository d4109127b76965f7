import type { components } from "../api-types.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data, Query } from "../operations.ts";

/** A page of a login of Facebook, and its Instagram account. */
export type LoginPage = components["schemas"]["LoginPage"];

/** A sign-in link to request. */
export type SignInRequest = Body<"POST /console/auth/request"> & {
  /** The path of the console to which the sign-in redirects. */
  readonly redirect?: string | undefined;
  /** The text of the link in the mail of an invite. The sign-in accepts that invite. */
  readonly invite?: string | undefined;
};

/** Signing in and out, and the logins that connect accounts. */
export function loginCalls(http: HttpClient) {
  return {
    /** Requests a sign-in link by mail. Needs no session. The response is the same for every address. */
    requestLink(body: SignInRequest, options: CallOptions = {}): Promise<Data<"POST /console/auth/request">> {
      return http.request("POST /console/auth/request", { body, ...options });
    },
    /** Ends every session of the signed-in person, in all browsers. */
    signOut(options: CallOptions = {}): Promise<Data<"POST /console/auth/logout">> {
      return http.request("POST /console/auth/logout", options);
    },
    /**
     * Starts a login that connects an account. Navigate the page to `url` of the response: the login belongs to this
     * browser, and ends at `redirect`, a path of the console. A login of `messenger` continues with `listPages`.
     */
    start(
      platform: "instagram" | "messenger",
      query: Query<"POST /oauth/messenger/start"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /oauth/messenger/start">> {
      return http.request(`POST /oauth/${platform}/start`, { query, ...options });
    },
    /** Lists the pages of the person's login of Facebook, for 10 minutes after it. */
    listPages(
      query: Query<"GET /oauth/messenger/pages"> = {},
      options: CallOptions = {},
    ): Promise<Data<"GET /oauth/messenger/pages">> {
      return http.request("GET /oauth/messenger/pages", { query, ...options });
    },
    /** Connects a page, its Instagram account or both. If the second is refused, the first stays connected. */
    selectPage(
      body: Body<"POST /oauth/messenger/select">,
      query: Query<"POST /oauth/messenger/select"> = {},
      options: CallOptions = {},
    ): Promise<Data<"POST /oauth/messenger/select">> {
      return http.request("POST /oauth/messenger/select", { body, query, ...options });
    },
  };
}
