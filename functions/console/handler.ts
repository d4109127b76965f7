import { clockNow } from "#base/kernel/time.ts";
import { createApp } from "#http/app.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "../support/docs-url.ts";
import { log } from "../support/log.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { consolePorts } from "./ports.ts";
import { consoleRoutes } from "./routes.ts";

const ports = consolePorts();

/** The console's routes. People sign in by a mailed link; no API key is accepted. */
export const handler = lambdaHandler(
  createApp({
    endpoints: consoleRoutes,
    ports,
    credentials: sessionCredentials(ports),
    cors: { origin: ports.consoleOrigin },
    docsUrl: errorsPageUrl(),
    now: clockNow,
    log,
  }),
  log,
  originSecrets(),
);
