import { isTextTooLong } from "../../domain/sending/send-content.ts";
import type { Platform, Upstream } from "../platform.ts";
import type { PlatformHttp } from "./http.ts";
import { instagramProfileFields, readProfile } from "./profiles.ts";
import { postMessage } from "./send.ts";
import { instagramMessage } from "./send-body.ts";

/** Instagram accounts connected by Instagram Login: Instagram's host, and a token of the account. */
export function instagramLogin(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.instagramGraph}/${upstream.graphVersion}`;
  return {
    send: (_account, token, send) => postMessage(http, api, token, instagramMessage(send), send),
    fetchProfile: (_account, token, person) => readProfile(http, api, token, person, instagramProfileFields),
    textTooLong: (text) => isTextTooLong("instagram", text),
  };
}
