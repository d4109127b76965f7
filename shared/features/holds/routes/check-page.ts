import * as z from "zod/mini";
import { CHALLENGE_PUZZLES_MAX, CHECK_BODY_BYTES_MAX } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal } from "#base/kernel/refusals.ts";
import { pageFileEndpoints } from "#http/browser/page-files.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { createChallenge as create } from "../flows/challenge.ts";
import { completeHold } from "../flows/complete.ts";
import { type HoldEndedRefusal, viewHold } from "../flows/view.ts";
import type { CheckPagePorts } from "../ports.ts";
import { checkHoldSchema, endedHoldFields, toCheckHoldResponse, toEndedHoldFields } from "./hold-schemas.ts";

const endpoint = endpointsFor<CheckPagePorts>();

const secret = z.string().check(z.minLength(1), z.maxLength(200));
const common = {
  method: "POST",
  tag: "Check page",
  bodyBytesMax: CHECK_BODY_BYTES_MAX,
  errorFields: () => ({ 409: endedHoldFields() }),
} as const;
const refusals = [
  "hold_not_found",
  "hold_sending",
  "hold_sent",
  "hold_failed",
  "hold_expired",
  "verification_limit",
] as const;

export const getHeldMessage = endpoint.public({
  operation: "getHeldMessage",
  ...common,
  path: "/verify/holds/{hold_id}",
  summary: "Get a held message by its secret",
  body: () => z.object({ secret }),
  refusals,
  data: () => z.object({ hold: checkHoldSchema() }),
  handle: async ({ path, body, request, now, ports }) => {
    const checkRequest = { holdId: path.hold_id, secret: body.secret, sourceIp: request.sourceIp };
    const view = await viewHold(ports, checkRequest, now);
    return isRefusal(view) ? withHold(view) : { hold: toCheckHoldResponse(view) };
  },
});

export const createChallenge = endpoint.public({
  operation: "createChallenge",
  ...common,
  path: "/verify/holds/{hold_id}/challenge",
  summary: "Create a challenge",
  body: () => z.object({ secret }),
  refusals,
  data: () =>
    z.object({
      challenge: z.object({ c: z.number(), s: z.number(), d: z.number() }),
      token: z.string(),
      expires: z.number(),
    }),
  handle: async ({ path, body, request, now, ports }) => {
    const checkRequest = { holdId: path.hold_id, secret: body.secret, sourceIp: request.sourceIp };
    const challenge = await create(ports, checkRequest, now);
    return isRefusal(challenge) ? withHold(challenge) : challenge;
  },
});

export const completeCheck = endpoint.public({
  operation: "completeCheck",
  ...common,
  path: "/verify/holds/{hold_id}/complete",
  summary: "Complete the check",
  body: () =>
    z.object({
      secret,
      token: z.string(),
      solutions: z.array(z.number()).check(z.maxLength(CHALLENGE_PUZZLES_MAX)),
    }),
  refusals,
  data: () => z.object({ hold: checkHoldSchema() }),
  handle: async ({ path, body, request, time, ports }) => {
    const { token, solutions } = body;
    const checkRequest = { holdId: path.hold_id, secret: body.secret, sourceIp: request.sourceIp, token, solutions };
    const view = await completeHold(ports, checkRequest, time);
    return isRefusal(view) ? withHold(view) : { hold: toCheckHoldResponse(view) };
  },
});

/** Adds the hold to a refusal that is due to its state. */
function withHold<R extends Refusal>(refusal: R | HoldEndedRefusal): R | HoldEndedRefusal {
  return "view" in refusal ? { ...refusal, fields: toEndedHoldFields(refusal.view) } : refusal;
}

/** The files of the check page. */
const checkPageFileRoutes = pageFileEndpoints<CheckPagePorts>("Check page", [
  ["getCheckPage", "/verify", "Get the page on which a person checks a held message", "no-store"],
  ["getCheckPageScript", "/verify/check.js", "Get the script of the check page", "no-cache"],
  ["getCheckPageStyle", "/verify/check.css", "Get the style sheet of the check page", "no-cache"],
  ["getCheckPageSolver", "/verify/solver.js", "Get the worker that solves the challenge", "no-cache"],
]);

/** The API of the check page. */
export const checkPageApiRoutes = [getHeldMessage, createChallenge, completeCheck] as const;

/** Every route of the Verify function. */
export const checkPageRoutes = [...checkPageApiRoutes, ...checkPageFileRoutes] as const;
