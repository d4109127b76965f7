import { refuse } from "../../shared/kernel/refusals.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { createApp } from "../http/app.ts";
import { lambdaHandler } from "../http/lambda.ts";
import { intakeRoutes } from "../routes/inbox/intake.ts";
import { log } from "../support/log.ts";
import { intakePorts } from "./ports.ts";

/** Takes the platforms' webhooks. It can do nothing but verify a signature and hand bytes to the inbound queue. */
export const handler = lambdaHandler(
  createApp({
    endpoints: intakeRoutes,
    ports: intakePorts(),
    // No route here takes a key.
    authenticate: async () => refuse("unauthorized"),
    rateLimit: async () => null,
    now: clockNow,
    log,
  }),
  log,
);
