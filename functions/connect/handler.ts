import { clockNow } from "../../shared/kernel/time.ts";
import { createApp } from "../http/app.ts";
import { sessionCredentials } from "../http/caller-credentials.ts";
import { lambdaHandler } from "../http/lambda.ts";
import { connectRoutes } from "../routes/connect-routes.ts";
import { log } from "../support/log.ts";
import { connectPorts } from "./ports.ts";

const ports = connectPorts();

/** The logins by which people connect accounts. No API key is accepted. */
export const handler = lambdaHandler(
  createApp({
    endpoints: connectRoutes,
    ports,
    credentials: sessionCredentials(ports),
    cors: { origin: ports.consoleOrigin },
    now: clockNow,
    log,
  }),
  log,
);
