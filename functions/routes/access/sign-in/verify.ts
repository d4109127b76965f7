import * as z from "zod/mini";
import { signedInUrl } from "../../../../shared/domain/access/redirect-paths.ts";
import { signIn } from "../../../../shared/flows/access/sign-in/sign-in.ts";
import { errorClass } from "../../../../shared/kernel/error-class.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { acceptsHtml } from "../../../http/browser/accepts-html.ts";
import { sessionCookies } from "../../../http/cookies.ts";
import type { RequestMetadata } from "../../../http/endpoint.ts";
import { type ConsolePorts, endpoint } from "../../console-endpoint.ts";
import { invalidLinkPage } from "./pages.ts";
import { isCookieSecure } from "./secure-cookies.ts";

const OPERATION = "verifySignInLink";

/** Browsers send one of these where nobody has opened the link yet. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;

export const verifySignInLink = endpoint.public({
  operation: OPERATION,
  method: "GET",
  path: "/console/auth/verify",
  tag: "Sign-in",
  summary: "Sign in with the token of a link",
  description:
    "Sets the cookies of a session and redirects to the console. A HEAD request and a prefetch do not use the link. A browser gets a page that offers a new link instead of the error.",
  envelope: false,
  status: 302,
  answers: {
    204: { description: "The link was not used: the request is a HEAD request or a prefetch." },
    302: {
      description: "The link was used. A browser continues in the console.",
      headers: { location: "A path of the console.", "set-cookie": "The session, and its CSRF token." },
    },
    401: { types: ["text/html"] },
    500: { types: ["text/html"] },
  },
  repeatedParameters: "as_empty",
  query: z.object({ token: z.optional(z.string()) }),
  refusals: ["invalid_token"],
  handle: async ({ query, request, now, ports }) => {
    if (!isNavigation(request)) return new Response(null, { status: 204 });
    const result = await trySignIn(ports, { token: query.token ?? "", ip: request.sourceIp, now }, request);
    if (result instanceof Response) return result;
    if (isRefusal(result)) return acceptsHtml(request.headers) ? invalidLinkPage(ports.pageFiles, 401) : result;
    const headers = new Headers({
      location: signedInUrl(result.redirect, ports),
      "referrer-policy": "no-referrer",
    });
    for (const cookie of sessionCookies(result.session, isCookieSecure(ports.baseUrl))) {
      headers.append("set-cookie", cookie);
    }
    return new Response(null, { status: 302, headers });
  },
});

/** A fault may have used the link: a browser gets the page that offers a new one. */
async function trySignIn(ports: ConsolePorts, link: Parameters<typeof signIn>[1], request: RequestMetadata) {
  try {
    return await signIn(ports, link);
  } catch (error) {
    if (!acceptsHtml(request.headers)) throw error;
    const { correlationId } = request;
    ports.log({
      event: "request.failed",
      operation: OPERATION,
      correlation_id: correlationId,
      error: errorClass(error),
    });
    return invalidLinkPage(ports.pageFiles, 500);
  }
}

function isNavigation({ method, headers }: RequestMetadata): boolean {
  return method === "GET" && !PREFETCH_HEADERS.some((name) => headers.has(name));
}
