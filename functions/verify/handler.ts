import { clockNow } from "../../shared/kernel/time.ts";
import { createApp } from "../http/app.ts";
import { noCredentials } from "../http/credentials.ts";
import { lambdaHandler } from "../http/lambda.ts";
import { checkRoutes } from "../routes/holds/check.ts";
import { log } from "../support/log.ts";
import { checkPorts } from "./ports.ts";

/** The check page and its API. Callers authenticate with a hold's secret, never with an API key. */
export const handler = lambdaHandler(
  createApp({
    endpoints: checkRoutes,
    ports: checkPorts(),
    credentials: noCredentials,
    now: clockNow,
    log,
  }),
  log,
);
