import * as z from "zod/mini";
import { errorClass } from "#base/kernel/error-class.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { acceptsHtml } from "#http/browser/accepts-html.ts";
import { isOwnForm } from "#http/browser/consent.ts";
import { readCookie, sessionCookies } from "#http/credentials/cookies.ts";
import { isCookieSecure } from "#http/credentials/secure-cookies.ts";
import { SESSION_COOKIE } from "#http/credentials/session-names.ts";
import type { RequestMetadata } from "#http/endpoint.ts";
import { HeaderMap } from "#http/header-map.ts";
import { HttpResponse } from "#http/http-response.ts";
import { readParameters } from "#http/request.ts";
import { signIn } from "../../flows/sign-in/sign-in.ts";
import { openSignInLink } from "../../flows/sign-in/sign-in-link.ts";
import { signedInUrl } from "../../rules/redirect-paths.ts";
import { type ConsoleRoutePorts, consoleEndpoint as endpoint } from "../endpoint.ts";
import { readBrowserSecret } from "./browser-cookie.ts";
import { confirmSignInPage, invalidLinkPage } from "./pages.ts";

const PATH = "/console/auth/verify";
/** A form with one token. */
const FORM_BYTES_MAX = 4 * 1024;

const tag = "Sign-in";
const signedIn = {
  headers: { location: "A path of the console.", "set-cookie": "The session, and its CSRF token." },
} as const;
const pages = { 401: { types: ["text/html"] }, 500: { types: ["text/html"] } } as const;

export const verifySignInLink = endpoint.public({
  operation: "verifySignInLink",
  method: "GET",
  path: PATH,
  tag,
  summary: "Sign in with a link",
  envelope: false,
  changes: true,
  proof: "The cookie of the browser that requested the link, and no session of another person.",
  status: 302,
  answers: {
    200: { description: "A page that asks first. The link was not used.", types: ["text/html"] },
    204: { description: "The link was not used: the request is a HEAD request or a prefetch." },
    302: { ...signedIn, description: "The link was used. A browser continues in the console." },
    ...pages,
  },
  repeatedParameters: "as_empty",
  query: () => z.object({ token: z.optional(z.string()) }),
  refusals: ["invalid_token"],
  handle: ({ query, request, now, ports }) =>
    withPages(ports, request, "verifySignInLink", async () => {
      const token = query.token ?? "";
      const session = readCookie(request.headers.get("cookie"), SESSION_COOKIE);
      const link = await openSignInLink(ports, {
        token,
        browser: readBrowserSecret(request),
        session: session === null || session === "invalid" ? null : session.value,
        now,
      });
      if (isRefusal(link)) return link;
      if (!link.isOwnBrowser || link.otherPerson !== null)
        return confirmSignInPage(ports, { ...link, token }, request.headers);
      return begin(ports, { token, request, now, status: 302 });
    }),
});

export const confirmSignIn = endpoint.public({
  operation: "confirmSignIn",
  method: "POST",
  path: PATH,
  tag,
  summary: "Confirm a sign-in",
  envelope: false,
  body: "bytes",
  rawBody: {
    type: "application/x-www-form-urlencoded",
    schema: z.object({ token: z.string().check(z.describe("The token of the link.")) }),
  },
  bodyBytesMax: FORM_BYTES_MAX,
  status: 303,
  answers: { 303: { ...signedIn, description: "The link was used. The browser continues in the console." }, ...pages },
  refusals: ["invalid_token", "csrf_failed"],
  handle: ({ body, request, now, ports }) =>
    withPages(ports, request, "confirmSignIn", async () => {
      if (!isOwnForm(request, ports.baseUrl)) return refuse("csrf_failed");
      const form = readParameters(Buffer.from(body).toString());
      const token = isRefusal(form) ? "" : (form.get("token") ?? "");
      return begin(ports, { token, request, now, status: 303 });
    }),
});

interface Use {
  readonly token: string;
  readonly request: RequestMetadata;
  readonly now: Millis;
  readonly status: 302 | 303;
}

/** Uses the link. */
async function begin(
  ports: ConsoleRoutePorts,
  { token, request, now, status }: Use,
): Promise<HttpResponse | Refusal<"invalid_token">> {
  const result = await signIn(ports, { token, ip: request.sourceIp, now });
  if (isRefusal(result)) return result;
  const headers = new HeaderMap({
    location: signedInUrl(result.redirect, ports),
    "referrer-policy": "no-referrer",
  });
  for (const cookie of sessionCookies(result.session, isCookieSecure(ports.baseUrl))) {
    headers.append("set-cookie", cookie);
  }
  return new HttpResponse(null, { status, headers });
}

/**
 * A browser gets a page that offers a new link for one that does not work, and after a fault, because that may have used
 * the link.
 */
async function withPages<R extends "invalid_token" | "csrf_failed">(
  ports: ConsoleRoutePorts,
  { headers, correlationId }: RequestMetadata,
  operation: string,
  respond: () => Promise<HttpResponse | Refusal<R>>,
): Promise<HttpResponse | Refusal<R>> {
  if (!acceptsHtml(headers)) return respond();
  try {
    const result = await respond();
    return isRefusal(result) && result.refused === "invalid_token"
      ? invalidLinkPage(ports.pageFiles, 401, headers)
      : result;
  } catch (error) {
    ports.log({ event: "request.failed", operation, correlation_id: correlationId, error: errorClass(error) });
    return invalidLinkPage(ports.pageFiles, 500, headers);
  }
}
