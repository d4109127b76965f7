import { consoleLog as log } from "#base/aws/log.ts";
import { setting } from "#base/config/settings.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import { clockNow } from "#base/kernel/time.ts";
import { type AppParts, createApp } from "#http/app.ts";
import type { ReadOriginSecrets } from "#http/client-address.ts";
import { lambdaHandler } from "#http/lambda.ts";

/** The handler of a function that answers requests. @param originSecrets of the distribution in front of the gateway, if any */
export function httpHandler<P>(app: AppParts<P>, originSecrets: ReadOriginSecrets | null = null) {
  return lambdaHandler(createApp({ ...app, docsUrl: errorsPageUrl(), now: clockNow, log }), log, originSecrets);
}

/** The page of the deployment's own documentation that explains each error code, at the code as its anchor. */
function errorsPageUrl(source: NodeJS.ProcessEnv = process.env): string {
  return `${withoutEndSlashes(setting("baseUrl", source))}/docs/errors`;
}
