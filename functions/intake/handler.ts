import { clockNow } from "#base/kernel/time.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { createApp } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "../support/docs-url.ts";
import { log } from "../support/log.ts";
import { intakePorts } from "./ports.ts";

/** Takes the platforms' webhooks. It can do nothing but verify a signature and hand bytes to the inbound queue. */
export const handler = lambdaHandler(
  createApp({
    endpoints: intakeRoutes,
    ports: intakePorts(),
    credentials: noCredentials,
    docsUrl: errorsPageUrl(),
    now: clockNow,
    log,
  }),
  log,
);
