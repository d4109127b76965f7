import { parseArgs } from "node:util";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import type { EngineOptions } from "#local-aws/dynamodb/engine.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";

/** The platforms' hosts, by their names in PARLEY_PLATFORM_URLS. */
export const platformHosts = [
  "facebook_www",
  "facebook_graph",
  "instagram_www",
  "instagram_api",
  "instagram_graph",
] as const;
export type PlatformUrls = Readonly<Record<(typeof platformHosts)[number], string>>;

/** The settings of a local stack. */
export interface LocalSettings {
  /** Port of the API. The simulator, the emulators and the WebSocket API use the next three. 0: free ports for all. */
  readonly port: number;
  readonly dataDir: string;
  /** True removes the data of earlier stacks from the data folder. */
  readonly fresh: boolean;
  /** False creates the demo tenant and its keys without connected accounts. */
  readonly seedAccounts: boolean;
  /** True plays the conversations of a workshop through the simulator. */
  readonly demo?: boolean;
  /** Replaces the simulator, which is then not started. */
  readonly platformUrls?: PlatformUrls;
  readonly metaSecret?: string;
  readonly instagramSecret?: string;
  readonly verifyToken?: string;
  /** Replace the ids of the simulated app. */
  readonly metaAppId?: string;
  readonly instagramAppId?: string;
  /** True applies the egress rules of the cloud to webhook deliveries, so that loopback is refused. */
  readonly strictEgress: boolean;
  /** True gives each function an access key of its own, and refuses what its role does not allow. */
  readonly strictIam?: boolean;
  readonly siteUrl?: string;
  /** True lets anyone sign in and create a tenant. */
  readonly openSignUp?: boolean;
  /** True runs the template of an account that runs ten functions at once. */
  readonly isSmall?: boolean;
  /** How many invocations of all functions may run at the same time. Default: 1,000. */
  readonly concurrency?: number;
  /** The DynamoDB engine. Default: dynoxide if it runs on this machine, else DynamoDB Local. */
  readonly engine?: NonNullable<EngineOptions["prefer"]>;
  /** True accepts a DynamoDB engine that other machines can reach. */
  readonly exposedEngine?: boolean;
  /** The origins of other pages that may call the API and connect to the WebSocket API. */
  readonly origins?: readonly string[];
  /** The share of queue messages, 0 to 1, that are delivered twice. Above 0 messages are also reordered. */
  readonly sqsChaos?: number;
}

const USAGE = "Valid flags: --port <number>, --data <folder>, --fresh, --demo, --help.";

export function requestsHelp(flags: readonly string[]): boolean {
  return flags.includes("--help") || flags.includes("-h");
}

/** Reads the settings. A flag overrides its environment variable. Throws a LocalRefusal that names the fix. */
export function readSettings(flags: readonly string[], env: NodeJS.ProcessEnv): LocalSettings {
  const { port, data, fresh, demo } = readFlags(flags);
  const platformUrls = readPlatformUrls(env.PARLEY_PLATFORM_URLS);
  const sqsChaos = readShare(env.PARLEY_SQS_CHAOS);
  const engine = readEngine(env.PARLEY_DYNAMODB);
  const concurrency = readConcurrency(env.PARLEY_CONCURRENCY);
  const origins = readOrigins(env.PARLEY_ORIGINS);
  const seedAccounts = readSeed(env.PARLEY_SEED);
  if (demo && (platformUrls || !seedAccounts))
    throw new LocalRefusal(
      "--demo needs the simulator and the demo workspace. Start it without PARLEY_PLATFORM_URLS and PARLEY_SEED.",
    );
  return {
    port: readPort(port ?? (env.PARLEY_PORT || "8787")),
    dataDir: readFolder(data ?? (env.PARLEY_DATA || ".parley")),
    fresh: fresh ?? false,
    seedAccounts,
    ...(demo ? { demo } : {}),
    strictEgress: readEgress(env.PARLEY_EGRESS),
    ...(readIam(env.PARLEY_IAM) ? { strictIam: true } : {}),
    ...(platformUrls ? { platformUrls } : {}),
    ...(sqsChaos > 0 ? { sqsChaos } : {}),
    ...(engine ? { engine } : {}),
    ...(readExposed(env.PARLEY_DYNAMODB_EXPOSED) ? { exposedEngine: true } : {}),
    ...(origins.length > 0 ? { origins } : {}),
    ...(env.PARLEY_META_APP_SECRET ? { metaSecret: env.PARLEY_META_APP_SECRET } : {}),
    ...(env.PARLEY_INSTAGRAM_APP_SECRET ? { instagramSecret: env.PARLEY_INSTAGRAM_APP_SECRET } : {}),
    ...(env.PARLEY_VERIFY_TOKEN ? { verifyToken: env.PARLEY_VERIFY_TOKEN } : {}),
    ...(env.PARLEY_META_APP_ID ? { metaAppId: env.PARLEY_META_APP_ID } : {}),
    ...(env.PARLEY_INSTAGRAM_APP_ID ? { instagramAppId: env.PARLEY_INSTAGRAM_APP_ID } : {}),
    ...(readSignUp(env.PARLEY_SIGN_UP) ? { openSignUp: true } : {}),
    ...(readSize(env.PARLEY_SIZE) === "small" ? { isSmall: true } : {}),
    ...(concurrency ? { concurrency } : {}),
    ...(env.PARLEY_SITE_URL ? { siteUrl: readUrl("PARLEY_SITE_URL", env.PARLEY_SITE_URL, /^https:/) } : {}),
  };
}

function readFlags(flags: readonly string[]): { port?: string; data?: string; fresh?: boolean; demo?: boolean } {
  try {
    const options = {
      port: { type: "string" },
      data: { type: "string" },
      fresh: { type: "boolean" },
      demo: { type: "boolean" },
    } as const;
    return parseArgs({ args: [...flags], options, strict: true }).values;
  } catch (error) {
    throw new LocalRefusal(`${(error as Error).message}. ${USAGE}`);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  // The simulator, the emulators and the WebSocket API use the next three ports.
  if (/^\d+$/.test(text) && port <= 65_532) return port;
  throw new LocalRefusal(
    `Invalid port ${JSON.stringify(text)}. Set --port or PARLEY_PORT to a number from 0 to 65532.`,
  );
}

function readFolder(path: string): string {
  // An empty path is the current folder, which --fresh would empty.
  if (path !== "") return path;
  throw new LocalRefusal("Missing data folder. Set --data or PARLEY_DATA to a folder.");
}

function readSeed(text: string | undefined): boolean {
  if (!text || text === "1") return true;
  if (text === "0") return false;
  throw new LocalRefusal(`Invalid PARLEY_SEED: ${JSON.stringify(text)}. Set it to 0 or 1, or unset it.`);
}

function readEgress(text: string | undefined): boolean {
  if (!text || text === "open") return false;
  if (text === "strict") return true;
  throw new LocalRefusal(`Invalid PARLEY_EGRESS: ${JSON.stringify(text)}. Set it to strict or open, or unset it.`);
}

function readIam(text: string | undefined): boolean {
  if (!text || text === "open") return false;
  if (text === "strict") return true;
  throw new LocalRefusal(`Invalid PARLEY_IAM: ${JSON.stringify(text)}. Set it to strict or open, or unset it.`);
}

function readSignUp(text: string | undefined): boolean {
  if (!text || text === "closed") return false;
  if (text === "open") return true;
  throw new LocalRefusal(`Invalid PARLEY_SIGN_UP: ${JSON.stringify(text)}. Set it to open or closed, or unset it.`);
}

function readSize(text: string | undefined): "standard" | "small" {
  if (!text || text === "standard") return "standard";
  if (text === "small") return text;
  throw new LocalRefusal(`Invalid PARLEY_SIZE: ${JSON.stringify(text)}. Set it to small or standard, or unset it.`);
}

function readConcurrency(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000) return Number(text);
  throw new LocalRefusal(
    `Invalid PARLEY_CONCURRENCY: ${JSON.stringify(text)}. Set it to a number from 1 to 1000, or unset it.`,
  );
}

function readEngine(text: string | undefined): LocalSettings["engine"] {
  if (!text) return undefined;
  if (text === "dynoxide" || text === "dynamodb-local") return text;
  throw new LocalRefusal(
    `Invalid PARLEY_DYNAMODB: ${JSON.stringify(text)}. Set it to dynoxide or dynamodb-local, or unset it.`,
  );
}

function readExposed(text: string | undefined): boolean {
  if (!text || text === "0") return false;
  if (text === "1") return true;
  throw new LocalRefusal(`Invalid PARLEY_DYNAMODB_EXPOSED: ${JSON.stringify(text)}. Set it to 0 or 1, or unset it.`);
}

function readOrigins(text = ""): string[] {
  const origins = text.split(",").map((each) => each.trim());
  return origins
    .filter((each) => each !== "")
    .map((each) => {
      if (URL.canParse(each) && /^https?:/.test(each) && new URL(each).origin === each) return each;
      throw new LocalRefusal(
        `Invalid PARLEY_ORIGINS: ${JSON.stringify(each)}. Set it to origins such as http://localhost:3000, with commas.`,
      );
    });
}

function readShare(text: string | undefined): number {
  const share = Number(text || 0);
  if (share >= 0 && share <= 1) return share;
  throw new LocalRefusal(
    `Invalid PARLEY_SQS_CHAOS: ${JSON.stringify(text)}. Set it to the share of messages to deliver twice, 0 to 1.`,
  );
}

function readPlatformUrls(text: string | undefined): PlatformUrls | undefined {
  if (!text) return undefined;
  const requirement = `Set it to a JSON object with a URL for each of ${platformHosts.join(", ")}.`;
  let json: Partial<Record<string, unknown>>;
  try {
    json = Object(JSON.parse(text)) as Partial<Record<string, unknown>>;
  } catch {
    throw new LocalRefusal(`PARLEY_PLATFORM_URLS is not JSON. ${requirement}`);
  }
  const missing = platformHosts.find((host) => typeof json[host] !== "string");
  if (missing) throw new LocalRefusal(`PARLEY_PLATFORM_URLS has no ${missing}. ${requirement}`);
  const urls = platformHosts.map(
    (host) => [host, readUrl(`PARLEY_PLATFORM_URLS.${host}`, String(json[host]))] as const,
  );
  return Object.fromEntries(urls) as unknown as PlatformUrls;
}

function readUrl(name: string, text: string, schemes = /^https?:/): string {
  if (URL.canParse(text) && schemes.test(text)) return withoutEndSlashes(text);
  const schemeHint = schemes.test("http:") ? "an http or https" : "an https";
  throw new LocalRefusal(`Invalid ${name}: ${JSON.stringify(text)}. Set it to ${schemeHint} URL.`);
}
