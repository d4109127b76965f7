import { authenticate, keepPace } from "../shared/flows/authenticate.ts";
import { clockNow } from "../shared/kernel/time.ts";
import { createApp } from "./http/app.ts";
import { lambdaHandler } from "./http/lambda.ts";
import { apiRoutes } from "./routes/index.ts";
import { apiPorts } from "./wiring/api.ts";
import { log } from "./wiring/log.ts";

const ports = apiPorts();

/** The HTTP API: every route but the platforms' own. */
export const handler = lambdaHandler(
  createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (authorization) => authenticate(ports, authorization),
    rateLimit: (caller, now) => keepPace(ports, caller, now),
    now: clockNow,
    log,
  }),
  log,
);
