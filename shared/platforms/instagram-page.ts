import type { PlatformHttp } from "./http.ts";
import { instagramMessage } from "./instagram-message.ts";
import type { Platform, Upstream } from "./platform.ts";
import { postMessage } from "./send.ts";
import { isTooLongFor } from "./text-limits.ts";

/** Instagram accounts linked to a page: the page's host and token. The account's own node takes no messages there. */
export function instagramPage(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.facebookGraph}/${upstream.graphVersion}`;
  return {
    sendText: (_account, token, send) => postMessage(http, api, token, instagramMessage(send)),
    textTooLong: (text) => isTooLongFor("instagram", text),
  };
}
