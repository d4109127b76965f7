import * as z from "zod/mini";
import { preferredLanguage } from "#base/languages/languages.ts";
import { emailAddress } from "#http/fields.ts";
import { requestSignInLink as requestLink } from "../../flows/sign-in/request-link.ts";
import { firstPath } from "../../rules/redirect-paths.ts";
import { consoleEndpoint as endpoint } from "../endpoint.ts";
import { browserCookie, browserSecretFor } from "./browser-cookie.ts";

export const requestSignInLink = endpoint.public({
  operation: "requestSignInLink",
  method: "POST",
  path: "/console/auth/request",
  tag: "Sign-in",
  summary: "Request a sign-in link",
  body: () =>
    z.object({
      email: emailAddress,
      // Only a text is a path, or names an invite. Any other value is as good as none.
      redirect: z.optional(z.unknown()),
      invite: z.optional(z.unknown()),
    }),
  refusals: ["sign_in_limit"],
  answers: { 200: { headers: { "set-cookie": "`console_sign_in`, by which this browser uses the link at once." } } },
  data: () => z.object({ sent: z.literal(true) }),
  handle: async ({ body, request, now, ports, setCookies }) => {
    const browser = browserSecretFor(request, ports);
    const link = {
      address: body.email,
      redirect: typeof body.redirect === "string" ? body.redirect : firstPath(ports),
      invite: typeof body.invite === "string" ? body.invite : null,
      ip: request.sourceIp,
      browser,
      language: preferredLanguage(request.headers.get("accept-language")),
      now,
    };
    const refusal = await requestLink(ports, link);
    if (refusal) return refusal;
    if (browser !== null) setCookies([browserCookie(browser, ports)]);
    return { sent: true as const };
  },
});
