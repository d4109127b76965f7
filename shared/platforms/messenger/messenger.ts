import type { AccountCallPorts } from "../graph/account-calls.ts";
import type { AccountPlatform } from "../graph/account-platform.ts";
import type { Dialect } from "../graph/dialect.ts";
import { pagePicture } from "../graph/graph-call.ts";
import type { ConnectionTraits } from "../graph/messaging.ts";
import { pageAccounts, pageFields } from "../graph/page-accounts.ts";

// What differs on Messenger. Its accounts are the inboxes of Facebook pages, connected by Facebook Login.

/** The inbox of a Facebook page. Its profile fields need no further permission, and it has no user names. */
export const messengerConnection: ConnectionTraits = {
  platform: "messenger",
  host: "facebookGraph",
  profileFields: ["first_name", "last_name", "profile_pic"],
  metadata: true,
  olderUploadType: null,
  uploadNode: "me",
  uploadFields: {},
};

/** The thumb in its three sizes. */
const likeStickers: ReadonlySet<string> = new Set(["369239263222822", "369239343222814", "369239383222810"]);

export const messengerDialect: Dialect = {
  platform: "messenger",
  object: "page",
  changeFields: [...pageFields, "messaging_handovers"],
  attachmentTypes: new Map([
    ["sticker", "sticker"],
    ["location", "location"],
    ["post", "share"],
    ["fallback", "share"],
    ["appointment_booking", "share"],
  ]),
  readLike: (_type, payload) => (likeStickers.has(String(payload?.sticker_id)) ? "👍" : null),
  // A sticker may also come as an image with the id of a sticker.
  isSticker: (payload) => payload?.sticker_id != null,
  history: {
    messageFields: "id,created_time,from,to,message,attachments,reply_to,shares,sticker",
    readAttachments: ({ sticker }) =>
      typeof sticker === "string" ? [{ type: "sticker", payload: { url: sticker } }] : [],
    // The address of a sticker is repeated among the shared links.
    isShared: ({ sticker }, link) => link !== sticker,
  },
};

/** The calls of the health checks of pages. */
export function messengerAccounts(ports: AccountCallPorts): AccountPlatform {
  return pageAccounts({ scope: "pages_messaging", history: messengerDialect.history, picture: pagePicture }, ports);
}
