import { readFileSync } from "node:fs";
import { optionalSetting } from "#base/config/settings.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import { SECOND } from "#base/kernel/time.ts";
import { type DoctorContext, notDeployed, stageContext } from "../context.ts";
import { blocking, ok, type Verdict, warning } from "../verdict.ts";

const ANSWER_TIMEOUT = 8 * SECOND;
const PACKAGE = new URL("../../../../package.json", import.meta.url);

/** The version that the public address reports against that of the checkout. */
export async function checkVersion(context: DoctorContext): Promise<Verdict> {
  const { environment } = context;
  if (environment === null) return notDeployed(context);
  const baseUrl = optionalSetting("baseUrl", environment);
  if (baseUrl === null) return warning("The public address is not known.", "Deploy this version, which names it.");
  const response = await fetch(`${withoutEndSlashes(baseUrl)}/v1/ping`, {
    signal: AbortSignal.timeout(ANSWER_TIMEOUT),
  });
  const body = (await response.json().catch(() => null)) as { readonly data?: { readonly version?: unknown } } | null;
  const deployed = body?.data?.version;
  if (!response.ok || typeof deployed !== "string") {
    return blocking(
      `${baseUrl} does not answer as Parley does (status ${response.status}).`,
      "Check the setting baseUrl and the domain in front of the API.",
    );
  }
  const { version } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string };
  if (deployed === version) return ok(`${baseUrl} runs version ${version}, as this checkout.`);
  return warning(
    `${baseUrl} runs version ${deployed.slice(0, 20)}, this checkout is ${version}.`,
    `Run npx cdk deploy --all${stageContext(context)}, or check out the deployed version.`,
  );
}
