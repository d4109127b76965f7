import { clockNow } from "#base/kernel/time.ts";
import { createApp } from "#http/app.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "../support/docs-url.ts";
import { log } from "../support/log.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { connectPorts } from "./ports.ts";
import { connectRoutes } from "./routes.ts";

const ports = connectPorts();

/** The logins by which people connect accounts. No API key is accepted. */
export const handler = lambdaHandler(
  createApp({
    endpoints: connectRoutes,
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
