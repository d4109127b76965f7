import type { PlatformHttp } from "./http.ts";
import { instagramMessage } from "./instagram-message.ts";
import type { Platform, Upstream } from "./platform.ts";
import { postMessage } from "./send.ts";
import { isTooLongFor } from "./text-limits.ts";

/** Instagram accounts that signed in by themselves: their own host, and a token of the account. */
export function instagramLogin(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.instagramGraph}/${upstream.graphVersion}`;
  return {
    sendText: (_account, token, send) => postMessage(http, api, token, instagramMessage(send)),
    textTooLong: (text) => isTooLongFor("instagram", text),
  };
}
