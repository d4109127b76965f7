import { isTextTooLong } from "../domain/sending/send-content.ts";
import type { PlatformHttp } from "./http.ts";
import { instagramMessage, instagramPerson } from "./instagram-message.ts";
import type { Platform, Send, SendOutcome, Upstream } from "./platform.ts";
import { readProfile } from "./profiles.ts";
import { postMessage } from "./send.ts";

/** Instagram accounts linked to a page: the page's host and token. The account's own node takes no messages there. */
export function instagramPage(upstream: Upstream, http: PlatformHttp): Platform {
  const api = `${upstream.facebookGraph}/${upstream.graphVersion}`;

  // What was uploaded for an account of a page goes by its own type, or by the platform's older word for all of them.
  // Only the clear refusal of the message's data leads to the second call: nothing was sent by the first.
  async function send(token: string, asked: Send): Promise<SendOutcome> {
    const deadline = http.deadline();
    const outcome = await postMessage(http, api, token, instagramMessage(asked), asked, deadline);
    if (!isTypeRefused(outcome) || !namesUpload(asked) || deadline.aborted) return outcome;
    return postMessage(http, api, token, instagramMessage(asked, "MEDIA_SHARE"), asked, deadline);
  }

  return {
    send: (_account, token, asked) => send(token, asked),
    fetchProfile: (_account, token, person) => readProfile(http, api, token, person, instagramPerson),
    textTooLong: (text) => isTextTooLong("instagram", text),
  };
}

function isTypeRefused(outcome: SendOutcome): boolean {
  return outcome.kind === "refused" && outcome.code === 100 && outcome.subcode === 2534015;
}

function namesUpload({ content }: Send): boolean {
  return content.kind === "attachments" && content.attachments.some((one) => "attachmentId" in one);
}
