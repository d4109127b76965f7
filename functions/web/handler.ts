import { clockNow } from "#base/kernel/time.ts";
import { createApp } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "../support/docs-url.ts";
import { log } from "../support/log.ts";
import { webPorts } from "./ports.ts";
import { webRoutes } from "./routes.ts";

/** The console, the documentation and the OpenAPI document. It reads no table and needs no credential. */
export const handler = lambdaHandler(
  createApp({
    endpoints: webRoutes,
    ports: webPorts(),
    credentials: noCredentials,
    docsUrl: errorsPageUrl(),
    now: clockNow,
    log,
  }),
  log,
);
