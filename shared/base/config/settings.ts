import * as z from "zod/mini";
import { withoutEndSlashes } from "../kernel/text/urls.ts";
import { env, type QueueName, queues } from "./names.ts";
import { type OperatorLimitName, operatorLimits } from "./operator-limits.ts";

// The settings of a function, parsed from its environment once when it starts. A function reads the settings that it
// needs, and fails with the name of a missing one.

const platformUrls = z.object({
  facebook_www: z.optional(z.url()),
  facebook_graph: z.optional(z.url()),
  instagram_www: z.optional(z.url()),
  instagram_api: z.optional(z.url()),
  instagram_graph: z.optional(z.url()),
});

const queueNames = z.record(z.enum(queues), z.string().check(z.minLength(1)));

/** The platforms' URLs, without a trailing slash. */
export interface PlatformUrls {
  readonly facebookGraph: string;
  readonly instagramGraph: string;
  /** The hosts of the logins: their dialogs, and Instagram's exchange of a code. */
  readonly facebookWww: string;
  readonly instagramWww: string;
  readonly instagramApi: string;
  readonly graphVersion: string;
}

type Name = keyof typeof env;

/** A required setting. */
export function setting(name: Name, source: NodeJS.ProcessEnv = process.env): string {
  const value = source[env[name]];
  if (!value) throw new Error(`Missing environment variable ${env[name]}.`);
  return value;
}

export function optionalSetting(name: Name, source: NodeJS.ProcessEnv = process.env): string | null {
  return source[env[name]] || null;
}

/** Whether anyone may sign in and create a tenant. Unless the setting says so, only those whom a tenant or operator named. */
export function isSignUpOpen(source: NodeJS.ProcessEnv = process.env): boolean {
  return setting("signUp", source) === "open";
}

/** The most accounts of a tenant. */
export function accountsPerTenantSetting(source: NodeJS.ProcessEnv = process.env): number {
  const text = optionalSetting("accountsPerTenant", source);
  if (text === null) return 500;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${env.accountsPerTenant} is no number of accounts.`);
  return Number(text);
}

/** A limit that the operator may set, or its default. */
export function limitSetting(name: OperatorLimitName, source: NodeJS.ProcessEnv = process.env): number {
  const text = optionalSetting(name, source);
  if (text === null) return operatorLimits[name].default;
  const { max } = operatorLimits[name];
  if (!/^[1-9]\d{0,5}$/.test(text) || Number(text) > max) {
    throw new Error(`${env[name]} is not a whole number from 1 to ${max}.`);
  }
  return Number(text);
}

/** The service's own host names, at least one. */
export function ownHostSettings(source: NodeJS.ProcessEnv = process.env): string[] {
  return setting("ownHosts", source).split(",");
}

/** The origins of the platforms' pictures and videos, each a source of a content security policy. */
export function mediaOriginSettings(source: NodeJS.ProcessEnv = process.env): string[] {
  return setting("mediaOrigins", source).split(" ");
}

export function platformUrlSettings(source: NodeJS.ProcessEnv = process.env): PlatformUrls {
  const text = optionalSetting("platformUrls", source);
  const overrides = text ? platformUrls.parse(JSON.parse(text)) : {};
  return {
    facebookGraph: withoutTrailingSlash(overrides.facebook_graph ?? "https://graph.facebook.com"),
    instagramGraph: withoutTrailingSlash(overrides.instagram_graph ?? "https://graph.instagram.com"),
    facebookWww: withoutTrailingSlash(overrides.facebook_www ?? "https://www.facebook.com"),
    instagramWww: withoutTrailingSlash(overrides.instagram_www ?? "https://www.instagram.com"),
    instagramApi: withoutTrailingSlash(overrides.instagram_api ?? "https://api.instagram.com"),
    graphVersion: optionalSetting("graphVersion", source) ?? "v26.0",
  };
}

/** The simulator that a local stack has in the place of the platforms. Null where these are the real ones. */
export function simulatorUrlSetting(source: NodeJS.ProcessEnv = process.env): string | null {
  const { protocol, hostname, origin } = new URL(platformUrlSettings(source).facebookWww);
  return protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost") ? origin : null;
}

/** The sender address of mails and their SES configuration set. Null when no mail is sent. */
export function mailSettings(
  source: NodeJS.ProcessEnv = process.env,
): { from: string; configurationSet: string } | null {
  const from = optionalSetting("mailFrom", source);
  return from === null ? null : { from, configurationSet: setting("mailConfigurationSet", source) };
}

/**
 * Maps a dead letter to the queue that it is of, by its dead-letter queue and the name of the queue that SQS moved it from;
 * null for other queues. Where all queues have one dead-letter queue, only the latter says so.
 */
export function sourceQueueSettings(
  source: NodeJS.ProcessEnv = process.env,
): (deadLetterQueue: QueueName | "all", movedFrom: string | null) => QueueName | null {
  const json = optionalSetting("sourceQueues", source);
  const names = json === null ? null : queueNames.parse(JSON.parse(json));
  return (deadLetterQueue, movedFrom) => {
    if (deadLetterQueue !== "all") return deadLetterQueue;
    return queues.find((queue) => names?.[queue] === movedFrom) ?? null;
  };
}

/** The URLs of the dead-letter queues by their source queue. The one URL of all queues is there once, as `all`. */
export function deadLetterQueueUrlSettings(
  source: NodeJS.ProcessEnv = process.env,
): ReadonlyMap<QueueName | "all", string> {
  const urls = queueNames.parse(JSON.parse(setting("deadLetterQueueUrls", source)));
  const [url = "", ...others] = new Set(Object.values(urls));
  return others.length === 0 ? new Map([["all", url]]) : new Map(queues.map((queue) => [queue, urls[queue]]));
}

function withoutTrailingSlash(url: string): string {
  return withoutEndSlashes(url);
}
