import { clockNow } from "#base/kernel/time.ts";
import { createApp } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { log } from "../support/log.ts";
import { docsPorts } from "./ports.ts";
import { docsRoutes } from "./routes.ts";

/** The documentation and the OpenAPI document. It reads no table and needs no credential. */
export const handler = lambdaHandler(
  createApp({
    endpoints: docsRoutes,
    ports: docsPorts(),
    credentials: noCredentials,
    now: clockNow,
    log,
  }),
  log,
);
