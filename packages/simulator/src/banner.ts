import { withoutEndSlashes } from "../../loopback/src/urls.ts";
import { simulatorPageUrl } from "./page-url.ts";
import { CONTROL_TOKEN, type ProgramSettings } from "./settings.ts";

const hosts = ["facebook_www", "facebook_graph", "instagram_www", "instagram_api", "instagram_graph"] as const;

/** The text that is printed when the simulator runs alone: what the app needs. Secrets that were set are not shown. */
export function banner(url: string, { options, randomSecrets }: ProgramSettings): string {
  const base = withoutEndSlashes(options.webhookBase);
  const randomToken = randomSecrets[CONTROL_TOKEN];
  const rows: [string, string][] = [
    ["Page", randomToken === undefined ? url : simulatorPageUrl(url, randomToken)],
    ["Webhooks", `${base}/webhooks/instagram and ${base}/webhooks/messenger`],
    ["Meta app id", options.appId],
    ["Instagram app id", options.instagramAppId],
    ...Object.entries(randomSecrets),
    ["State", options.statePath ?? "none: nothing is stored"],
    ...hosts.map((host): [string, string] => [host, `${url}/${host}`]),
  ];
  const table = rows.map(([name, value]) => `  ${name.padEnd(18)}${value}`);
  return ["", "The platform simulator is running.", "", ...table, "", "Press Ctrl-C to stop.", ""].join("\n");
}
