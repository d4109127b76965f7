import { resolve } from "node:path";
import { simulatorPageUrl } from "#simulator";
import { DEMO_OWNER } from "./demo-owner.ts";
import type { LocalJson } from "./local-json.ts";

export interface BannerDetails {
  readonly dataDir: string;
  /** The folder that the commands run in: that of the repository, or of a project that has the packages. */
  readonly cwd: string;
  /** The duration of the start, in milliseconds. */
  readonly startedIn: number;
  /** The program with the commands, as it is called. Default: `npm run admin --`. */
  readonly commands?: string | undefined;
}

/** The text printed when the stack is ready: addresses, keys, and commands to copy and run. */
export function banner(
  local: LocalJson,
  { dataDir, cwd, startedIn, commands = "npm run admin --" }: BannerDetails,
): string {
  const rows: [string, string | undefined][] = [
    ["Console", `${local.base_url}/app`],
    ["Sign in", local.sign_in_url],
    ["", local.sign_in_url && `The link works once, for 15 minutes, and signs in ${DEMO_OWNER} by one press.`],
    ["API", local.base_url],
    ["Realtime", local.ws_url],
    ["Simulator", local.simulator_url && simulatorPageUrl(local.simulator_url, local.control_token)],
    ["Mailbox", local.sign_in_url && `${local.base_url}/_local/mail#token=${local.control_token}`],
    ["Docs", `${local.base_url}/docs`],
    ["Tenant", local.tenant],
    ["Live key", local.live_key],
    ["Test key", local.test_key],
    ["Data", dataDir],
  ];
  const table = rows.flatMap(([name, value]) => (value ? [`  ${name.padEnd(10)} ${value}`] : []));
  // The admin commands find the stack by its data folder. The default needs no variable.
  const variables = dataDir === resolve(cwd, ".parley") ? "" : `PARLEY_DATA=${shellQuote(dataDir)} `;
  const ready = `Parley is running. It started in ${(startedIn / 1_000).toFixed(1)} s.`;
  return [
    "",
    ready,
    "",
    ...table,
    ...exampleCommands(local, `${variables}${commands}`),
    "",
    "Press Ctrl-C to stop.",
    "",
  ].join("\n");
}

function exampleCommands({ base_url, simulator_url, live_key, accounts }: LocalJson, program: string): string[] {
  if (!live_key) return [];
  const admin = (command: string) => `  ${program} ${command}`;
  const canWrite = simulator_url !== undefined && accounts.length > 0;
  return [
    "",
    "Print each event, in a second terminal:",
    admin("listen"),
    ...(canWrite ? ["", "Write a message as a person, or use the simulator:", admin('message "Hi"')] : []),
    ...(canWrite ? ["", "Reply in the newest conversation:", admin('reply "Hello"')] : []),
    "",
    "List conversations:",
    `  curl ${base_url}/v1/conversations -H 'Authorization: Bearer ${live_key}'`,
  ];
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
