import { env } from "#base/config/names.ts";
import { simulatedAppIds } from "#simulator";
import type { LocalSettings, PlatformUrls } from "./settings.ts";

export interface VariablesContext {
  readonly settings: LocalSettings;
  readonly platformUrls: PlatformUrls;
  /** The URL of the API. Its pages are the console's. */
  readonly baseUrl: string;
  /** Where clients post uploads. */
  readonly storageUrl: string;
  /** Null without the simulator: pictures and videos are then the platforms' own. */
  readonly simulatorUrl: string | null;
  /** The endpoint of the WebSocket API's connections. Null without such an API. */
  readonly connectionsEndpoint: string | null;
}

/** The variables of the functions that have other values here than in the template. */
export function functionVariables({
  settings,
  platformUrls,
  baseUrl,
  storageUrl,
  simulatorUrl,
  connectionsEndpoint,
}: VariablesContext): Record<string, string> {
  return {
    [env.platformUrls]: JSON.stringify(platformUrls),
    [env.consoleUrl]: baseUrl,
    [env.uploadUrl]: storageUrl,
    ...(simulatorUrl === null ? {} : { [env.mediaOrigins]: new URL(simulatorUrl).origin }),
    ...(connectionsEndpoint === null ? {} : { [env.realtimeEndpoint]: connectionsEndpoint }),
    [env.metaAppId]: settings.metaAppId ?? simulatedAppIds.meta,
    [env.instagramAppId]: settings.instagramAppId ?? simulatedAppIds.instagram,
  };
}
