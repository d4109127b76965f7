import { authenticate, enforceRateLimit } from "../../shared/flows/access/authenticate.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { createApp } from "../http/app.ts";
import { lambdaHandler } from "../http/lambda.ts";
import { apiRoutes } from "../routes/index.ts";
import { log } from "../support/log.ts";
import { apiPorts } from "./ports.ts";

const ports = apiPorts();

/** The HTTP API for tenants. */
export const handler = lambdaHandler(
  createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (authorization, now) => authenticate(ports, authorization, now),
    rateLimit: (caller, now) => enforceRateLimit(ports, caller, now),
    now: clockNow,
    log,
  }),
  log,
);
