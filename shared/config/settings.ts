import * as z from "zod/mini";
import { env, type QueueName, queues } from "./names.ts";

// What a function finds in its environment, parsed once when it starts. A function asks for what it needs; a missing
// name stops it with a message that says which.

const platformUrls = z.object({
  facebook_www: z.optional(z.url()),
  facebook_graph: z.optional(z.url()),
  instagram_www: z.optional(z.url()),
  instagram_api: z.optional(z.url()),
  instagram_graph: z.optional(z.url()),
});

const deadLetterQueues = z.record(z.enum(queues), z.string().check(z.minLength(1)));

/** Where the platforms answer, without a trailing slash. */
export interface PlatformUrls {
  readonly facebookGraph: string;
  readonly instagramGraph: string;
  readonly graphVersion: string;
}

type Name = keyof typeof env;

/** The value of a name that must be there. */
export function setting(name: Name, source: NodeJS.ProcessEnv = process.env): string {
  const value = source[env[name]];
  if (!value) throw new Error(`Set ${env[name]}: this function cannot run without it.`);
  return value;
}

export function optionalSetting(name: Name, source: NodeJS.ProcessEnv = process.env): string | null {
  return source[env[name]] || null;
}

/** The host names at which the service itself answers: at least one. */
export function ownHostSettings(source: NodeJS.ProcessEnv = process.env): string[] {
  return setting("ownHosts", source).split(",");
}

export function platformUrlSettings(source: NodeJS.ProcessEnv = process.env): PlatformUrls {
  const text = optionalSetting("platformUrls", source);
  const overrides = text ? platformUrls.parse(JSON.parse(text)) : {};
  return {
    facebookGraph: withoutTrailingSlash(overrides.facebook_graph ?? "https://graph.facebook.com"),
    instagramGraph: withoutTrailingSlash(overrides.instagram_graph ?? "https://graph.instagram.com"),
    graphVersion: optionalSetting("graphVersion", source) ?? "v26.0",
  };
}

/** Whose dead letters a queue holds, by its name; null for a queue that holds none. */
export function deadLetterQueueSettings(source: NodeJS.ProcessEnv = process.env): (name: string) => QueueName | null {
  const names = deadLetterQueues.parse(JSON.parse(setting("deadLetterQueues", source)));
  return (name) => queues.find((queue) => names[queue] === name) ?? null;
}

function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
