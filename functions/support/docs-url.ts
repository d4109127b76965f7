import { setting } from "#base/config/settings.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";

/** The page of the deployment's own documentation that explains each error code, at the code as its anchor. */
export function errorsPageUrl(source: NodeJS.ProcessEnv = process.env): string {
  return `${withoutEndSlashes(setting("baseUrl", source))}/docs/errors`;
}
