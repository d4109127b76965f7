import { clockNow } from "#base/kernel/time.ts";
import { checkPageRoutes } from "#features/holds/routes/check-page.ts";
import { createApp } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "../support/docs-url.ts";
import { log } from "../support/log.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { checkPagePorts } from "./ports.ts";

/** The check page and its API. Callers authenticate with a hold's secret, never with an API key. */
export const handler = lambdaHandler(
  createApp({
    endpoints: checkPageRoutes,
    ports: checkPagePorts(),
    credentials: noCredentials,
    docsUrl: errorsPageUrl(),
    now: clockNow,
    log,
  }),
  log,
  originSecrets(),
);
