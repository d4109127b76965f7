import { refuse } from "../../shared/kernel/refusals.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { createApp } from "../http/app.ts";
import { lambdaHandler } from "../http/lambda.ts";
import { checkRoutes } from "../routes/holds/check.ts";
import { log } from "../support/log.ts";
import { checkPorts } from "./ports.ts";

/** The page on which a person checks a held message, and its API. It takes a hold's secret and never a key. */
export const handler = lambdaHandler(
  createApp({
    endpoints: checkRoutes,
    ports: checkPorts(),
    // No route here takes a key.
    authenticate: async () => refuse("unauthorized"),
    rateLimit: async () => null,
    now: clockNow,
    log,
  }),
  log,
);
