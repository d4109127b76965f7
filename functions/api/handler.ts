import { clockNow } from "#base/kernel/time.ts";
import { createApp } from "#http/app.ts";
import { callerCredentials } from "#http/credentials/caller-credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "../support/docs-url.ts";
import { log } from "../support/log.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { otherRoutes } from "./other-routes.ts";
import { apiPorts } from "./ports.ts";
import { apiRoutes } from "./routes.ts";

const ports = apiPorts();

/** The HTTP API for tenants. */
export const handler = lambdaHandler(
  createApp({
    endpoints: apiRoutes,
    otherRoutes,
    ports,
    credentials: callerCredentials(ports),
    cors: { origin: ports.consoleOrigin },
    docsUrl: errorsPageUrl(),
    now: clockNow,
    log,
  }),
  log,
  originSecrets(),
);
