import { clockNow } from "#base/kernel/time.ts";
import { type AccountCallPorts, accountCalls } from "../graph/account-calls.ts";
import type { AccountPlatform, CallFailure, Inspection } from "../graph/account-platform.ts";
import type { Dialect } from "../graph/dialect.ts";
import { callGraph, instagramPicture, readLife, readToken } from "../graph/graph-call.ts";
import { asObject } from "../graph/json.ts";
import type { ConnectionTraits } from "../graph/messaging.ts";
import { pageAccounts } from "../graph/page-accounts.ts";

// What differs on Instagram. An account is connected by Instagram Login, or through the Facebook page that it is linked
// to.

const profileFields = ["name", "username", "profile_pic"];

/** Connected by Instagram Login: Instagram's host, and a token of the account. */
export const instagramLoginConnection: ConnectionTraits = {
  platform: "instagram",
  host: "instagramGraph",
  profileFields,
  metadata: false,
  olderUploadType: null,
  uploadNode: "account",
  uploadFields: {},
};

/** Linked to a Facebook page: Facebook's host, and the page's token. */
export const instagramPageConnection: ConnectionTraits = {
  platform: "instagram",
  host: "facebookGraph",
  profileFields,
  metadata: false,
  olderUploadType: "MEDIA_SHARE",
  uploadNode: "page",
  uploadFields: { platform: "instagram" },
};

/** The webhook fields of an account connected by Instagram Login. Echoes come with `messages`. */
export const instagramFields: readonly string[] = [
  "messages",
  "messaging_postbacks",
  "messaging_seen",
  "message_reactions",
  "messaging_referral",
  "standby",
];

export const instagramDialect: Dialect = {
  platform: "instagram",
  object: "instagram",
  changeFields: [...instagramFields, "message_edit", "messaging_handover"],
  // What a person may view once, or only in the app, is `unsupported`.
  attachmentTypes: new Map([
    ["story_mention", "story_mention"],
    ["like_heart", "sticker"],
    ["share", "share"],
    ["ig_story", "share"],
    ["story", "share"],
    ["media", "share"],
  ]),
  readLike: (type) => (type === "like_heart" ? "❤" : null),
  history: {
    messageFields: "id,created_time,from,to,message,attachments,reply_to,story,is_unsupported,shares",
    readAttachments: (message) => {
      const mention = asObject(asObject(message.story)?.mention);
      return mention ? [{ type: "story_mention", payload: { url: mention.link } }] : [];
    },
    readReply: (message) => {
      const story = asObject(asObject(message.story)?.reply_to);
      return story && { story: { id: story.id, url: story.link } };
    },
  },
};

/** The calls of the health checks of accounts of a linked page. */
export function instagramPageAccounts(ports: AccountCallPorts): AccountPlatform {
  return pageAccounts(
    { scope: "instagram_manage_messages", history: instagramDialect.history, picture: instagramPicture },
    ports,
  );
}

/** The calls of the health checks of accounts of Instagram Login. They prove no secret of the app. */
export function instagramLoginAccounts(ports: AccountCallPorts): AccountPlatform {
  const { upstream, http, clock = clockNow } = ports;
  const host = upstream.instagramGraph;
  const api = `${host}/${upstream.graphVersion}`;
  const node = (externalId: string) => `${api}/${encodeURIComponent(externalId)}`;
  return {
    ...accountCalls(
      {
        api,
        nodeUrl: ({ externalId }) => node(externalId),
        subscribedFields: instagramFields,
        // An app has an id of its own for Instagram Login.
        listedAppId: null,
        toProof: () => ({}),
        messageFields: instagramDialect.history.messageFields,
        picture: instagramPicture,
      },
      ports,
    ),

    refresh: async (token) => {
      const now = clock();
      const query = { grant_type: "ig_refresh_token", access_token: token };
      const call = { method: "GET", url: `${host}/refresh_access_token`, token: null, query } as const;
      return callGraph(http, call, (body) => {
        const newToken = readToken(body.access_token);
        const life = readLife(body.expires_in);
        return newToken === null || life === null
          ? null
          : { kind: "refreshed", token: newToken, expiresAt: now + life };
      });
    },

    inspect: async ({ platform, externalId }, token) => {
      const query = { platform, fields: "id", limit: "1" };
      const call = { method: "GET", url: `${node(externalId)}/conversations`, token, query } as const;
      return toInspection(
        await callGraph(http, call, ({ data }) => (Array.isArray(data) ? ({ kind: "read" } as const) : null)),
      );
    },
  };
}

/** Reads a call that needs a valid token with the right to messages: its refusal may be about either. */
function toInspection(outcome: { readonly kind: "read" } | CallFailure): Inspection | CallFailure {
  const inspection = { kind: "inspected", dataAccessExpiresAt: null } as const;
  if (outcome.kind === "read") return { ...inspection, isValid: true, detail: null, hasRights: true };
  if (outcome.kind !== "refused") return outcome;
  const { class: refusalClass, detail } = outcome;
  if (refusalClass === "token") return { ...inspection, isValid: false, detail, hasRights: false };
  if (refusalClass === "permission") return { ...inspection, isValid: true, detail, hasRights: false };
  return outcome;
}
