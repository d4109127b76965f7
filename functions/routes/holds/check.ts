import * as z from "zod/mini";
import { CHALLENGE_PUZZLES_MAX, CHECK_BODY_BYTES_MAX } from "../../../shared/domain/limits.ts";
import { takeChallenge as takeOne } from "../../../shared/flows/holds/challenge.ts";
import { completeHold } from "../../../shared/flows/holds/complete.ts";
import { lookAtHold } from "../../../shared/flows/holds/view.ts";
import type { CheckPorts } from "../../../shared/flows/ports.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { clockFrom } from "../../../shared/kernel/time.ts";
import { endpointFor } from "../../http/endpoint.ts";
import { checkPageRoutes } from "./check-page.ts";
import { shownHoldShape, shownHoldView } from "./hold-schemas.ts";

const endpoint = endpointFor<CheckPorts>();

const secret = z.string().check(z.minLength(1), z.maxLength(200));
const common = {
  method: "POST",
  auth: "none",
  tenant: "none",
  tag: "Check page",
  bodyBytesMax: CHECK_BODY_BYTES_MAX,
} as const;
const refusals = [
  "hold_not_found",
  "hold_sending",
  "hold_sent",
  "hold_failed",
  "hold_ran_out",
  "too_many_tries",
] as const;

export const lookAtHeld = endpoint({
  ...common,
  path: "/verify/holds/{hold_id}",
  summary: "Read a held message by its secret",
  body: z.object({ secret }),
  refusals,
  data: z.object({ hold: shownHoldShape }),
  handle: async ({ path, body, request, now, ports }) => {
    const asked = { holdId: path.hold_id, secret: body.secret, sourceIp: request.sourceIp };
    const shown = await lookAtHold(ports, asked, now);
    return isRefusal(shown) ? shown : { hold: shownHoldView(shown) };
  },
});

export const takeChallenge = endpoint({
  ...common,
  path: "/verify/holds/{hold_id}/challenge",
  summary: "Take a proof-of-work challenge for a held message",
  body: z.object({ secret }),
  refusals,
  data: z.object({
    challenge: z.object({ c: z.number(), s: z.number(), d: z.number() }),
    token: z.string(),
    expires: z.number(),
  }),
  handle: async ({ path, body, request, now, ports }) => {
    const asked = { holdId: path.hold_id, secret: body.secret, sourceIp: request.sourceIp };
    return takeOne(ports, asked, now);
  },
});

export const completeCheck = endpoint({
  ...common,
  path: "/verify/holds/{hold_id}/complete",
  summary: "Answer a challenge and send the held message",
  body: z.object({
    secret,
    token: z.string(),
    solutions: z.array(z.number()).check(z.maxLength(CHALLENGE_PUZZLES_MAX)),
  }),
  refusals,
  data: z.object({ hold: shownHoldShape }),
  handle: async ({ path, body, request, now, ports }) => {
    const { token, solutions } = body;
    const asked = { holdId: path.hold_id, secret: body.secret, sourceIp: request.sourceIp, token, solutions };
    const shown = await completeHold(ports, asked, clockFrom(now));
    return isRefusal(shown) ? shown : { hold: shownHoldView(shown) };
  },
});

/** The API of the check page. */
export const checkApiRoutes = [lookAtHeld, takeChallenge, completeCheck] as const;

/** Every route of the Verify function. */
export const checkRoutes = [...checkApiRoutes, ...checkPageRoutes] as const;
