import { clockNow } from "#base/kernel/time.ts";
import { type AppParts, createApp } from "#http/app.ts";
import type { ReadOriginSecrets } from "#http/client-address.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { errorsPageUrl } from "./docs-url.ts";
import { log } from "./log.ts";

/** The handler of a function that answers requests. @param originSecrets of the distribution in front of the gateway, if any */
export function httpHandler<P>(app: AppParts<P>, originSecrets: ReadOriginSecrets | null = null) {
  return lambdaHandler(createApp({ ...app, docsUrl: errorsPageUrl(), now: clockNow, log }), log, originSecrets);
}
