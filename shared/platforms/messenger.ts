import type { PlatformHttp } from "./http.ts";
import type { Platform, SendText, Upstream } from "./platform.ts";
import { postMessage } from "./send.ts";
import { isTooLongFor } from "./text-limits.ts";

/** A page's own inbox. */
export function messenger(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.facebookGraph}/${upstream.graphVersion}`;
  return {
    sendText: (_account, token, send) => postMessage(http, api, token, messengerMessage(send)),
    textTooLong: (text) => isTooLongFor("messenger", text),
  };
}

function messengerMessage(send: SendText): object {
  return {
    recipient: { id: send.recipientId },
    messaging_type: "RESPONSE",
    message: { text: send.text, metadata: send.metadata },
    ...(send.replyTo === null ? {} : { reply_to: { mid: send.replyTo } }),
  };
}
