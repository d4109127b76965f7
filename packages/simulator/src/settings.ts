import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { randomControlToken, TOKEN_FORMAT } from "../../loopback/src/control-token.ts";
import type { SimulatorOptions } from "./simulator.ts";
import { simulatedAppIds } from "./world/app-ids.ts";

/** A setting that is missing or invalid. The message names the fix. */
export class SettingsError extends Error {}

/** The name of the control token among the random secrets. */
export const CONTROL_TOKEN = "Control token";

/** The settings of a simulator that runs alone. */
export interface ProgramSettings {
  options: SimulatorOptions & { appId: string; instagramAppId: string };
  /** The secrets that were not set and are random, by their names. */
  randomSecrets: Record<string, string>;
}

const flags = {
  callback: { type: "string" },
  port: { type: "string" },
  state: { type: "string" },
  "meta-secret": { type: "string" },
  "instagram-secret": { type: "string" },
  "verify-token": { type: "string" },
  "app-id": { type: "string" },
  "instagram-app-id": { type: "string" },
  "redirect-uri": { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export const HELP = `Run the platform simulator alone, for an app on this machine. Stop it with Ctrl-C.

Usage: parley-simulator --callback <url> [flags]
       parley-simulator scenario <name or file.json> [flags]   run a scenario in a simulator that is running
       parley-simulator scenarios                              list the scenarios

  --callback <url>          base URL of the app: webhooks go to <url>/webhooks/instagram and <url>/webhooks/messenger
  --port <number>           port on 127.0.0.1 (default: 4100; 0: a free port)
  --state <file>            JSON file that stores people, threads and tokens between runs (default: none)
  --meta-secret <text>      the Meta app's secret (default: random)
  --instagram-secret <text> the Instagram app's secret (default: random)
  --verify-token <text>     the verify token (default: random)
  --app-id <digits>         the Meta app's id (default: ${simulatedAppIds.meta})
  --instagram-app-id <text> the Instagram app's id (default: ${simulatedAppIds.instagram})
  --redirect-uri <url>      a redirect URI that logins accept; repeat it for several (default: any)
  --help                    show this help

Environment variables, which a flag overrides:
  SIM_WEBHOOK_BASE, SIM_PORT, SIM_STATE, SIM_META_SECRET, SIM_INSTAGRAM_SECRET, SIM_VERIFY_TOKEN, SIM_APP_ID,
  SIM_INSTAGRAM_APP_ID
SIM_CONTROL_TOKEN is the token of /_sim and of the page (default: random). It has no flag, because flags are public.

The README of the package has the details.`;

/** Reads the settings. Returns null if the help is asked for. Throws a SettingsError for a missing or invalid one. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): ProgramSettings | null {
  const values = readFlags(args);
  if (values.help === true) return null;
  const randomSecrets: Record<string, string> = {};
  const secret = (name: string, text: string | undefined): string => {
    if (text) return text;
    const random = randomBytes(16).toString("hex");
    randomSecrets[name] = random;
    return random;
  };
  const { SIM_PORT, SIM_STATE, SIM_APP_ID, SIM_INSTAGRAM_APP_ID } = env;
  const statePath = values.state ?? SIM_STATE;
  const redirectUris = values["redirect-uri"];
  if (!env.SIM_CONTROL_TOKEN) randomSecrets[CONTROL_TOKEN] = randomControlToken();
  const options = {
    port: readPort(values.port ?? (SIM_PORT || "4100")),
    webhookBase: readCallback(values.callback ?? env.SIM_WEBHOOK_BASE),
    metaSecret: secret("Meta secret", values["meta-secret"] ?? env.SIM_META_SECRET),
    instagramSecret: secret("Instagram secret", values["instagram-secret"] ?? env.SIM_INSTAGRAM_SECRET),
    verifyToken: secret("Verify token", values["verify-token"] ?? env.SIM_VERIFY_TOKEN),
    controlToken: {
      value: randomSecrets[CONTROL_TOKEN] ?? readControlToken(env.SIM_CONTROL_TOKEN ?? ""),
      location: "It was printed at the start, or set as SIM_CONTROL_TOKEN.",
    },
    appId: values["app-id"] ?? (SIM_APP_ID || simulatedAppIds.meta),
    instagramAppId: values["instagram-app-id"] ?? (SIM_INSTAGRAM_APP_ID || simulatedAppIds.instagram),
    ...(statePath ? { statePath } : {}),
    ...(redirectUris === undefined ? {} : { redirectUris }),
  };
  return { options, randomSecrets };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true }).values;
  } catch (error) {
    throw new SettingsError(`${(error as Error).message}. Run parley-simulator --help.`);
  }
}

function readPort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new SettingsError(`Invalid port ${JSON.stringify(text)}. Set --port or SIM_PORT to a number from 0 to 65535.`);
}

function readControlToken(text: string): string {
  if (TOKEN_FORMAT.test(text)) return text;
  throw new SettingsError(
    "Invalid SIM_CONTROL_TOKEN. Set it to at least 16 letters, digits, dots, hyphens, underscores or tildes, or unset it.",
  );
}

function readCallback(text: string | undefined): string {
  const fix = "Set --callback or SIM_WEBHOOK_BASE to the base URL of your app, such as http://127.0.0.1:3000.";
  if (!text) throw new SettingsError(`Missing callback URL. ${fix}`);
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new SettingsError(`Invalid callback URL ${JSON.stringify(text)}. ${fix}`);
}
