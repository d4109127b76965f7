import { clockNow } from "../../shared/kernel/time.ts";
import { createApp } from "../http/app.ts";
import { callerCredentials } from "../http/caller-credentials.ts";
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
    credentials: callerCredentials(ports),
    cors: { origin: ports.consoleOrigin },
    now: clockNow,
    log,
  }),
  log,
);
