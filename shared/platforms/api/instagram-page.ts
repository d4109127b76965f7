import { isTextTooLong } from "../../domain/sending/send-content.ts";
import type { Platform, Send, SendOutcome, Upstream } from "../platform.ts";
import type { PlatformHttp } from "./http.ts";
import { instagramProfileFields, readProfile } from "./profiles.ts";
import { postMessage } from "./send.ts";
import { instagramMessage } from "./send-body.ts";

/** Instagram accounts linked to a Facebook page: Facebook's host, and the page's token. */
export function instagramPage(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.facebookGraph}/${upstream.graphVersion}`;

  // The platform accepts an uploaded file by its own type or by the older type `MEDIA_SHARE`. The second call is made
  // only after an explicit refusal of the message's data, which means that the first call sent nothing.
  async function send(token: string, message: Send): Promise<SendOutcome> {
    const deadline = http.deadline();
    const outcome = await postMessage(http, api, token, instagramMessage(message), message, deadline);
    if (!isTypeRefused(outcome) || !hasUploadedAttachment(message) || deadline.aborted) return outcome;
    return postMessage(http, api, token, instagramMessage(message, "MEDIA_SHARE"), message, deadline);
  }

  return {
    send: (_account, token, message) => send(token, message),
    fetchProfile: (_account, token, person) => readProfile(http, api, token, person, instagramProfileFields),
    textTooLong: (text) => isTextTooLong("instagram", text),
  };
}

function isTypeRefused(outcome: SendOutcome): boolean {
  return outcome.kind === "refused" && outcome.code === 100 && outcome.subcode === 2534015;
}

function hasUploadedAttachment({ content }: Send): boolean {
  return content.kind === "attachments" && content.attachments.some((attachment) => "attachmentId" in attachment);
}
