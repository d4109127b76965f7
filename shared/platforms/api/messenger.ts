import { isTextTooLong } from "../../domain/sending/send-content.ts";
import type { Platform, Upstream } from "../platform.ts";
import type { PlatformHttp } from "./http.ts";
import { readProfile } from "./profiles.ts";
import { postMessage } from "./send.ts";
import { sendBody } from "./send-body.ts";

/** The fields that need no further permission. Messenger has no user names. */
const messengerProfileFields = ["first_name", "last_name", "profile_pic"];

/** The Messenger inbox of a Facebook page. */
export function messenger(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.facebookGraph}/${upstream.graphVersion}`;
  return {
    send: (_account, token, send) =>
      postMessage(http, api, token, sendBody(send, { metadata: true, uploadType: null }), send),
    fetchProfile: (_account, token, person) => readProfile(http, api, token, person, messengerProfileFields),
    textTooLong: (text) => isTextTooLong("messenger", text),
  };
}
