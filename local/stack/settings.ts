import { parseArgs } from "node:util";
import type { EngineOptions } from "../dynamodb/engine.ts";
import { LocalRefusal } from "../support/settings-error.ts";

/** The hosts of the platforms, by the names the functions know them by. */
export const platformHosts = [
  "facebook_www",
  "facebook_graph",
  "instagram_www",
  "instagram_api",
  "instagram_graph",
] as const;
export type PlatformUrls = Readonly<Record<(typeof platformHosts)[number], string>>;

/** What a person may choose about a local stack. */
export interface LocalSettings {
  /** Port of the API; the simulator and the emulators take the next two. 0: free ports for everything. */
  readonly port: number;
  readonly dataDir: string;
  /** Forget what an earlier stack kept in the data folder. */
  readonly fresh: boolean;
  /** False: the demo tenant and its keys alone, without connected accounts. */
  readonly seedAccounts: boolean;
  /** Stands in for the simulator, which is then not started. */
  readonly platformUrls?: PlatformUrls;
  readonly metaSecret?: string;
  readonly instagramSecret?: string;
  readonly verifyToken?: string;
  /** True: webhook deliveries obey the same gate as in the cloud, so that loopback is refused. */
  readonly strictEgress: boolean;
  readonly siteUrl?: string;
  /** Which engine stands in for DynamoDB; dynoxide where it runs when not given. */
  readonly engine?: NonNullable<EngineOptions["prefer"]>;
  /** The share of queue messages, 0 to 1, that come twice; once it is above 0 they also come out of order. */
  readonly sqsChaos?: number;
}

const USAGE = "Known are --port <number>, --data <folder> and --fresh.";

/** The settings from flags and environment; a flag wins. Throws a LocalRefusal that says what to write instead. */
export function readSettings(flags: readonly string[], env: NodeJS.ProcessEnv): LocalSettings {
  const { port, data, fresh } = readFlags(flags);
  const platformUrls = readPlatformUrls(env.PARLEY_PLATFORM_URLS);
  const sqsChaos = readShare(env.PARLEY_SQS_CHAOS);
  const engine = readEngine(env.PARLEY_DYNAMODB);
  return {
    port: readPort(port ?? (env.PARLEY_PORT || "8787")),
    dataDir: data ?? (env.PARLEY_DATA || ".parley"),
    fresh: fresh ?? false,
    seedAccounts: env.PARLEY_SEED !== "0",
    strictEgress: readEgress(env.PARLEY_EGRESS),
    ...(platformUrls ? { platformUrls } : {}),
    ...(sqsChaos > 0 ? { sqsChaos } : {}),
    ...(engine ? { engine } : {}),
    ...(env.PARLEY_META_APP_SECRET ? { metaSecret: env.PARLEY_META_APP_SECRET } : {}),
    ...(env.PARLEY_INSTAGRAM_APP_SECRET ? { instagramSecret: env.PARLEY_INSTAGRAM_APP_SECRET } : {}),
    ...(env.PARLEY_VERIFY_TOKEN ? { verifyToken: env.PARLEY_VERIFY_TOKEN } : {}),
    ...(env.PARLEY_SITE_URL ? { siteUrl: readUrl("PARLEY_SITE_URL", env.PARLEY_SITE_URL, /^https:/) } : {}),
  };
}

function readFlags(flags: readonly string[]): { port?: string; data?: string; fresh?: boolean } {
  try {
    const options = { port: { type: "string" }, data: { type: "string" }, fresh: { type: "boolean" } } as const;
    return parseArgs({ args: [...flags], options, strict: true }).values;
  } catch (error) {
    throw new LocalRefusal(`${(error as Error).message}. ${USAGE}`);
  }
}

function readPort(text: string): number {
  const port = Number(text);
  // Two more ports follow the first.
  if (/^\d+$/.test(text) && port <= 65_533) return port;
  throw new LocalRefusal(`The port ${JSON.stringify(text)} is not a number from 0 to 65533: give one with --port.`);
}

function readEgress(text: string | undefined): boolean {
  if (!text || text === "open") return false;
  if (text === "strict") return true;
  throw new LocalRefusal(`PARLEY_EGRESS is ${JSON.stringify(text)}: write strict, or leave it out.`);
}

function readEngine(text: string | undefined): LocalSettings["engine"] {
  if (!text) return undefined;
  if (text === "dynoxide" || text === "dynamodb-local") return text;
  throw new LocalRefusal(
    `PARLEY_DYNAMODB is ${JSON.stringify(text)}: write dynoxide or dynamodb-local, or leave it out.`,
  );
}

function readShare(text: string | undefined): number {
  const share = Number(text || 0);
  if (share >= 0 && share <= 1) return share;
  throw new LocalRefusal(
    `PARLEY_SQS_CHAOS is ${JSON.stringify(text)}: give the share of messages that repeat, 0 to 1.`,
  );
}

function readPlatformUrls(text: string | undefined): PlatformUrls | undefined {
  if (!text) return undefined;
  const requirement = `PARLEY_PLATFORM_URLS must be JSON with a URL for each of ${platformHosts.join(", ")}`;
  let parsed: Partial<Record<string, unknown>>;
  try {
    parsed = Object(JSON.parse(text)) as Partial<Record<string, unknown>>;
  } catch {
    throw new LocalRefusal(`${requirement}: what is there is not JSON.`);
  }
  const missing = platformHosts.find((host) => typeof parsed[host] !== "string");
  if (missing) throw new LocalRefusal(`${requirement}: ${missing} is missing.`);
  const urls = platformHosts.map(
    (host) => [host, readUrl(`PARLEY_PLATFORM_URLS.${host}`, String(parsed[host]))] as const,
  );
  return Object.fromEntries(urls) as unknown as PlatformUrls;
}

function readUrl(name: string, text: string, schemes = /^https?:/): string {
  if (URL.canParse(text) && schemes.test(text)) return text.replace(/\/+$/, "");
  const expected = schemes.test("http:") ? "an http or https" : "an https";
  throw new LocalRefusal(`${name} must be ${expected} URL, not ${JSON.stringify(text)}.`);
}
