import * as z from "zod/mini";
import { requestSignInLink as requestLink } from "../../../../shared/flows/access/sign-in/request-link.ts";
import { emailAddress } from "../../../http/fields.ts";
import { endpoint } from "../../console-endpoint.ts";

export const requestSignInLink = endpoint.public({
  operation: "requestSignInLink",
  method: "POST",
  path: "/console/auth/request",
  tag: "Sign-in",
  summary: "Request a sign-in link by mail",
  description:
    "The response is the same for every address. The link works once, for 15 minutes. `redirect` is a path of the console; anything else leads to `/`.",
  body: z.object({
    email: emailAddress,
    // Only a text is a path. Any other value is as good as none.
    redirect: z.optional(z.unknown()),
  }),
  refusals: ["sign_in_limit"],
  data: z.object({ sent: z.literal(true) }),
  handle: async ({ body, request, now, ports }) => {
    const { email: address } = body;
    const redirect = typeof body.redirect === "string" ? body.redirect : "/";
    const refusal = await requestLink(ports, { address, redirect, ip: request.sourceIp, now });
    return refusal ?? { sent: true as const };
  },
});
