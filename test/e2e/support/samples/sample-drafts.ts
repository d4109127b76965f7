import { newMessageId } from "../platform-webhooks.ts";
import {
  attachmentSample,
  echoSample,
  entryWithEvent,
  messageSample,
  noticeSample,
  type SampleContext,
  type SampleDraft,
} from "./sample-builders.ts";

const CDN_URL = "https://cdn.example.net/v/t1.15752-9/photo.jpg?ccb=1-7&_nc_sid=4dc865&oh=abc";

/** Events that every connection may send. */
export function sharedSamples(context: SampleContext): SampleDraft[] {
  const photo = { type: "image", payload: { url: CDN_URL } };
  const image = { type: "image", url: CDN_URL };
  const standbyMid = newMessageId();
  const changeMid = newMessageId();
  const { account, person, at } = context;
  const dashboard = { sender: { id: "12334" }, recipient: { id: "23245" }, timestamp: "1527459824" };
  const test = { ...dashboard, message: { mid: "random_mid", text: "random_text" } };
  return [
    messageSample(context, "text", { text: "Grüße ❤️ 中文 äöå" }, { text: "Grüße ❤️ 中文 äöå" }),
    messageSample(
      context,
      "quick reply",
      { text: "Yes", quick_reply: { payload: "YES" } },
      { text: "Yes", quick_reply: { payload: "YES" } },
    ),
    messageSample(
      context,
      "inline reply",
      { text: "this one", reply_to: { mid: "m_earlier" } },
      { text: "this one", reply_to: "m_earlier" },
    ),
    ...(["image", "video", "audio", "file"] as const).map((type) =>
      attachmentSample(context, type, { url: CDN_URL }, { attachment: { type: type, url: CDN_URL } }),
    ),
    messageSample(
      context,
      "several images",
      { attachments: [photo, photo, photo] },
      { attachments: [image, image, image] },
    ),
    messageSample(
      context,
      "an image with text",
      { text: "look", attachments: [photo] },
      { text: "look", attachments: [image] },
    ),
    attachmentSample(
      context,
      "template",
      { generic: [{ title: "Offer" }] },
      { attachment: { type: "share", url: null, title: "Offer" } },
    ),
    attachmentSample(
      context,
      "ig_reel",
      { url: CDN_URL, title: "Reel", reel_video_id: "1" },
      { attachment: { type: "share", url: CDN_URL, title: "Reel" } },
    ),
    attachmentSample(
      context,
      "ig_post",
      { url: CDN_URL, title: "Post" },
      { attachment: { type: "share", url: CDN_URL, title: "Post" } },
    ),
    attachmentSample(context, "something_new", { url: CDN_URL }, { attachment: { type: "unsupported", url: null } }),
    messageSample(
      context,
      "unsupported message",
      { is_unsupported: true },
      { attachments: [{ type: "unsupported", url: null }] },
    ),
    messageSample(
      context,
      "referral within a message",
      { text: "from an ad", referral: { ref: "x", source: "ADS", type: "OPEN_THREAD", ad_id: "23851" } },
      { text: "from an ad", referral: { ref: "x", source: "ADS", type: "OPEN_THREAD", ad_id: "23851" } },
    ),
    echoSample(context, "echo", { text: "from the app" }, { text: "from the app" }),
    echoSample(context, "echo of images", { attachments: [photo, photo] }, { attachments: [image, image] }),
    {
      name: "standby",
      mid: standbyMid,
      entry: entryWithEvent(context, { message: { mid: standbyMid, text: "to another app" } }, "standby"),
      expected: { text: "to another app" },
    },
    {
      name: "message in changes",
      mid: changeMid,
      entry: {
        time: at,
        id: account,
        changes: [
          {
            field: "messages",
            value: {
              sender: { id: person },
              recipient: { id: account },
              timestamp: String(at),
              message: { mid: changeMid, text: "by changes" },
            },
          },
        ],
      },
      expected: { text: "by changes" },
    },
    ...postbacks(context),
    noticeSample(context, "unsent", { message: { mid: newMessageId(), is_deleted: true } }, "message.deleted"),
    noticeSample(
      context,
      "reaction",
      { reaction: { mid: "m_x", action: "react", reaction: "love", emoji: "❤️" } },
      "message.reaction",
    ),
    noticeSample(context, "reaction removed", { reaction: { mid: "m_x", action: "unreact" } }, "message.reaction"),
    noticeSample(
      context,
      "edit",
      { message_edit: { mid: newMessageId(), text: "better", num_edit: 1 } },
      "message.edited",
    ),
    noticeSample(
      context,
      "referral",
      { referral: { ref: "summer", source: "SHORTLINK", type: "OPEN_THREAD" } },
      "referral.received",
    ),
    noticeSample(
      context,
      "referral in seconds",
      { referral: { ref: "summer" }, timestamp: Math.floor(at / 1_000) },
      "referral.received",
    ),
    noticeSample(context, "edit noise", { message_edit: { mid: "m_x", num_edit: 0 } }),
    {
      name: "edit noise without a person",
      entry: { time: at, id: account, messaging: [{ timestamp: at, message_edit: { mid: "m_x", num_edit: 0 } }] },
    },
    noticeSample(context, "policy", { policy_enforcement: { action: "warning", reason: "spam" } }),
    noticeSample(
      context,
      "policy in its earlier spelling",
      { "policy-enforcement": { action: "block", reason: "spam" } },
      "account.restricted",
    ),
    noticeSample(context, "handover", { pass_thread_control: { new_owner_app_id: "1", metadata: "" } }),
    noticeSample(context, "handover taken", { take_thread_control: { previous_owner_app_id: "1" } }),
    noticeSample(context, "handover requested", { request_thread_control: { requested_owner_app_id: "1" } }),
    noticeSample(context, "app roles", { app_roles: { "1": ["primary_receiver"] } }),
    noticeSample(context, "self test", { message: { mid: newMessageId(), text: "to myself", is_self: true } }),
    noticeSample(context, "self test of a postback", {
      is_self: true,
      postback: { mid: newMessageId(), title: "t", payload: "p" },
    }),
    {
      name: "dashboard test in changes",
      entry: { time: 1_527_459_824, id: "0", changes: [{ field: "messages", value: test }] },
    },
    { name: "dashboard test in messaging", entry: { time: 1_527_459_824, id: "0", messaging: [test] } },
    noticeSample(context, "an unknown kind", { optin: { ref: "x" } }),
    {
      name: "a field without a subscription",
      entry: { time: at, id: account, changes: [{ field: "feed", value: { item: "post" } }] },
    },
    {
      name: "an invalid event",
      entry: { time: at, id: account, messaging: [{ message: { text: "no id, no sender" } }] },
    },
  ];
}

function postbacks(context: SampleContext): SampleDraft[] {
  const mid = newMessageId();
  const legacyPostback = {
    postback: { title: "Menu", payload: "MENU", referral: { ref: "x", source: "ADS", type: "OPEN_THREAD" } },
  };
  return [
    {
      name: "postback",
      mid,
      entry: entryWithEvent(context, { postback: { mid, title: "Get started", payload: "START" } }),
      expected: { text: "Get started", postback: { title: "Get started", payload: "START" } },
    },
    {
      name: "postback without an id",
      entry: entryWithEvent(context, legacyPostback),
      expected: {
        text: "Menu",
        postback: { title: "Menu", payload: "MENU" },
        referral: { ref: "x", source: "ADS", type: "OPEN_THREAD", ad_id: null },
      },
    },
  ];
}

export function instagramOnly(context: SampleContext): SampleDraft[] {
  const story = { id: "17900000000000001", url: CDN_URL };
  return [
    messageSample(
      context,
      "story reply",
      { text: "love it", reply_to: { story } },
      { text: "love it", story: { ...story, kind: "reply" } },
    ),
    attachmentSample(
      context,
      "story_mention",
      { url: CDN_URL },
      { attachment: { type: "story_mention", url: CDN_URL }, story: { id: null, url: CDN_URL, kind: "mention" } },
    ),
    attachmentSample(context, "share", { url: CDN_URL }, { attachment: { type: "share", url: CDN_URL } }),
    attachmentSample(context, "reel", { url: CDN_URL }, { attachment: { type: "share", url: CDN_URL } }),
    attachmentSample(
      context,
      "ig_story",
      { story_media_id: "1", story_media_url: CDN_URL },
      { attachment: { type: "share", url: CDN_URL } },
    ),
    attachmentSample(context, "story", { url: CDN_URL }, { attachment: { type: "share", url: CDN_URL } }),
    attachmentSample(context, "media", { url: CDN_URL }, { attachment: { type: "share", url: CDN_URL } }),
    messageSample(
      context,
      "like",
      { attachments: [{ type: "like_heart" }] },
      { text: "❤", attachments: [{ type: "sticker", url: null }] },
    ),
    attachmentSample(context, "ephemeral", null, { attachment: { type: "unsupported", url: null } }),
    attachmentSample(context, "unsupported_type", {}, { attachment: { type: "unsupported", url: null } }),
    noticeSample(context, "read", { read: { mid: "aWdfZAG1" } }),
  ];
}

export function messengerOnly(context: SampleContext): SampleDraft[] {
  return [
    attachmentSample(
      context,
      "sticker",
      { url: CDN_URL, sticker_id: 144885145685752 },
      { attachment: { type: "sticker", url: CDN_URL } },
    ),
    messageSample(
      context,
      "like",
      { attachments: [{ type: "image", payload: { url: CDN_URL, sticker_id: 369239263222822 } }] },
      { text: "👍", attachments: [{ type: "sticker", url: CDN_URL }] },
    ),
    attachmentSample(
      context,
      "location",
      { coordinates: { lat: 55.6761, long: 12.5683 } },
      { attachment: { type: "location", url: null, coordinates: { lat: 55.6761, long: 12.5683 } } },
    ),
    attachmentSample(
      context,
      "fallback",
      { url: "https://example.com/a", title: "A page" },
      { attachment: { type: "share", url: "https://example.com/a", title: "A page" } },
    ),
    messageSample(
      context,
      "fallback without a payload",
      { attachments: [{ type: "fallback", title: "A page", url: "https://example.com/b", payload: null }] },
      { attachments: [{ type: "share", url: "https://example.com/b", title: "A page" }] },
    ),
    attachmentSample(
      context,
      "post",
      { url: CDN_URL, title: "A post", id: "1" },
      { attachment: { type: "share", url: CDN_URL, title: "A post" } },
    ),
    attachmentSample(context, "appointment_booking", { id: "1" }, { attachment: { type: "share", url: null } }),
    messageSample(
      context,
      "inline reply to oneself",
      { text: "and", reply_to: { mid: "m_own", is_self_reply: true } },
      { text: "and", reply_to: "m_own" },
    ),
    echoSample(
      context,
      "echo of another app",
      { text: "bot", app_id: 4711, metadata: "x" },
      { text: "bot", sent_via: "other_app" },
    ),
    echoSample(context, "echo of the page inbox", { text: "inbox", app_id: 26390203743090 }, { text: "inbox" }),
    noticeSample(context, "read", { read: { watermark: context.at, seq: 38 } }),
    noticeSample(context, "delivery", { delivery: { mids: ["m_x"], watermark: context.at } }),
    {
      name: "delivery without a time",
      entry: {
        time: context.at,
        id: context.account,
        messaging: [
          {
            sender: { id: context.person },
            recipient: { id: context.account },
            delivery: { mids: ["m_x"], watermark: context.at },
          },
        ],
      },
    },
  ];
}
