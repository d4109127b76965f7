import { accountIds, type Entry, type Json, newMid, type PlatformObject, type Signer } from "./platform.ts";

/** What `GET /v1/messages` must show of an event; null for one that leaves no message. */
export interface Expected {
  readonly direction: "inbound" | "echo";
  readonly text: string;
  readonly attachments: readonly { readonly type: string; readonly url: string | null }[];
  readonly sent_via: string;
  readonly reply_to: string | null;
}

/** One thing a platform may say. */
export interface Kind {
  readonly name: string;
  readonly object: PlatformObject;
  readonly signer: Signer;
  readonly entry: Entry;
  /** The message's id; null where the platform gives none. */
  readonly mid: string | null;
  readonly expected: Expected | null;
  /** The type of the event that announces what is no message; null for one that is acknowledged and leaves nothing. */
  readonly tells: string | null;
}

/** Who talks to whom, and when. */
interface Scene {
  readonly object: PlatformObject;
  readonly signer: Signer;
  readonly account: string;
  readonly person: string;
  readonly at: number;
}

type Draft = { name: string; entry: Entry; mid?: string | null; expected?: Partial<Expected>; tells?: string | null };

const cdn = "https://cdn.example.net/v/t1.15752-9/photo.jpg?ccb=1-7&_nc_sid=4dc865&oh=abc";

/** Every kind of event on every connection, each with ids of its own. `at`: the time of the first, in milliseconds. */
export function catalogue(people: { ig: string; page: string; msg: string }, at: number): Kind[] {
  const { instagramLogin, instagramPage, messenger } = accountIds;
  const login: Scene = { object: "instagram", signer: "instagram", account: instagramLogin, person: people.ig, at };
  const viaPage: Scene = { object: "instagram", signer: "meta", account: instagramPage, person: people.page, at };
  const onPage: Scene = { object: "page", signer: "meta", account: messenger, person: people.msg, at };
  return [login, viaPage, onPage].flatMap((scene) => {
    const own = scene.object === "instagram" ? instagramOnly(scene) : messengerOnly(scene);
    return [...shared(scene), ...own].map((draft, index) => kindOf(scene, draft, index));
  });
}

/** Each event gets a millisecond of its own, so that the newest is known. */
function kindOf(scene: Scene, { name, entry, mid = null, expected, tells = null }: Draft, index: number): Kind {
  const { object, signer } = scene;
  const whole = { direction: "inbound", text: "", attachments: [], sent_via: "participant", reply_to: null } as const;
  return {
    name: `${name} on ${object} signed by ${signer}`,
    object,
    signer,
    mid,
    entry: shifted(entry, index),
    expected: expected ? { ...whole, ...expected } : null,
    tells,
  };
}

function shifted(entry: Entry, by: number): Entry {
  const later = (events: readonly Json[]): Json[] =>
    events.map((event) =>
      Number(event.timestamp) > 1e12 ? { ...event, timestamp: Number(event.timestamp) + by } : event,
    );
  return {
    time: entry.time + by,
    id: entry.id,
    ...(entry.messaging ? { messaging: later(entry.messaging) } : {}),
    ...(entry.standby ? { standby: later(entry.standby) } : {}),
    ...(entry.changes ? { changes: entry.changes } : {}),
  };
}

function event(scene: Scene, content: Json, slot: "messaging" | "standby" = "messaging"): Entry {
  const { account, person, at } = scene;
  return {
    time: at,
    id: account,
    [slot]: [{ sender: { id: person }, recipient: { id: account }, timestamp: at, ...content }],
  };
}

function said(scene: Scene, name: string, content: Json, expected: Partial<Expected>): Draft {
  const mid = newMid(scene.object === "instagram" ? "instagram" : "messenger");
  return { name, mid, entry: event(scene, { message: { mid, ...content } }), expected };
}

function echoed(scene: Scene, name: string, content: Json, expected: Partial<Expected>): Draft {
  const { account, person } = scene;
  const mid = newMid(scene.object === "instagram" ? "instagram" : "messenger");
  const turned = { sender: { id: account }, recipient: { id: person }, message: { mid, is_echo: true, ...content } };
  return {
    name,
    mid,
    entry: event(scene, turned),
    expected: { direction: "echo", sent_via: "native_app", ...expected },
  };
}

function told(scene: Scene, name: string, content: Json, tells?: string): Draft {
  return { name, entry: event(scene, content), ...(tells ? { tells } : {}) };
}

function attached(scene: Scene, type: string, payload: Json | null, kind: string, url: string | null): Draft {
  const attachment = { type, ...(payload === null ? {} : { payload }) };
  return said(scene, `attachment ${type}`, { attachments: [attachment] }, { attachments: [{ type: kind, url }] });
}

function shared(scene: Scene): Draft[] {
  const photo = { type: "image", payload: { url: cdn } };
  const image = { type: "image", url: cdn };
  const standbyMid = newMid();
  const changeMid = newMid();
  const { account, person, at } = scene;
  const dashboard = { sender: { id: "12334" }, recipient: { id: "23245" }, timestamp: "1527459824" };
  const test = { ...dashboard, message: { mid: "random_mid", text: "random_text" } };
  return [
    said(scene, "text", { text: "Grüße ❤️ 中文 äöå" }, { text: "Grüße ❤️ 中文 äöå" }),
    said(scene, "quick reply", { text: "Yes", quick_reply: { payload: "YES" } }, { text: "Yes" }),
    said(
      scene,
      "inline reply",
      { text: "this one", reply_to: { mid: "m_earlier" } },
      { text: "this one", reply_to: "m_earlier" },
    ),
    ...(["image", "video", "audio", "file"] as const).map((type) => attached(scene, type, { url: cdn }, type, cdn)),
    said(scene, "several images", { attachments: [photo, photo, photo] }, { attachments: [image, image, image] }),
    said(scene, "an image with text", { text: "look", attachments: [photo] }, { text: "look", attachments: [image] }),
    attached(scene, "template", { generic: [{ title: "Offer" }] }, "share", null),
    attached(scene, "ig_reel", { url: cdn, title: "Reel", reel_video_id: "1" }, "share", cdn),
    attached(scene, "ig_post", { url: cdn, title: "Post" }, "share", cdn),
    attached(scene, "something_new", { url: cdn }, "unsupported", null),
    said(scene, "unsupported message", { is_unsupported: true }, { attachments: [{ type: "unsupported", url: null }] }),
    said(
      scene,
      "referral within a message",
      { text: "from an ad", referral: { ref: "x", source: "ADS", type: "OPEN_THREAD" } },
      { text: "from an ad" },
    ),
    echoed(scene, "echo", { text: "from the app" }, { text: "from the app" }),
    echoed(scene, "echo of images", { attachments: [photo, photo] }, { attachments: [image, image] }),
    {
      name: "standby",
      mid: standbyMid,
      entry: event(scene, { message: { mid: standbyMid, text: "to another app" } }, "standby"),
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
    ...postbacks(scene),
    told(scene, "unsent", { message: { mid: newMid(), is_deleted: true } }, "message.deleted"),
    told(
      scene,
      "reaction",
      { reaction: { mid: "m_x", action: "react", reaction: "love", emoji: "❤️" } },
      "message.reaction",
    ),
    told(scene, "reaction taken back", { reaction: { mid: "m_x", action: "unreact" } }, "message.reaction"),
    told(scene, "edit", { message_edit: { mid: newMid(), text: "better", num_edit: 1 } }, "message.edited"),
    told(scene, "referral", { referral: { ref: "summer", source: "SHORTLINK", type: "OPEN_THREAD" } }),
    told(scene, "referral in seconds", { referral: { ref: "summer" }, timestamp: Math.floor(at / 1_000) }),
    told(scene, "edit noise", { message_edit: { mid: "m_x", num_edit: 0 } }),
    {
      name: "edit noise of nobody",
      entry: { time: at, id: account, messaging: [{ timestamp: at, message_edit: { mid: "m_x", num_edit: 0 } }] },
    },
    told(scene, "policy", { policy_enforcement: { action: "warning", reason: "spam" } }),
    told(
      scene,
      "policy in its old spelling",
      { "policy-enforcement": { action: "block", reason: "spam" } },
      "account.restricted",
    ),
    told(scene, "handover", { pass_thread_control: { new_owner_app_id: "1", metadata: "" } }),
    told(scene, "handover taken", { take_thread_control: { previous_owner_app_id: "1" } }),
    told(scene, "handover asked for", { request_thread_control: { requested_owner_app_id: "1" } }),
    told(scene, "app roles", { app_roles: { "1": ["primary_receiver"] } }),
    told(scene, "self test", { message: { mid: newMid(), text: "to myself", is_self: true } }),
    told(scene, "self test of a postback", { is_self: true, postback: { mid: newMid(), title: "t", payload: "p" } }),
    {
      name: "dashboard test in changes",
      entry: { time: 1_527_459_824, id: "0", changes: [{ field: "messages", value: test }] },
    },
    { name: "dashboard test in messaging", entry: { time: 1_527_459_824, id: "0", messaging: [test] } },
    told(scene, "a kind nobody knows", { optin: { ref: "x" } }),
    {
      name: "a field nobody asked for",
      entry: { time: at, id: account, changes: [{ field: "feed", value: { item: "post" } }] },
    },
    {
      name: "an event that is none",
      entry: { time: at, id: account, messaging: [{ message: { text: "no id, no sender" } }] },
    },
  ];
}

function postbacks(scene: Scene): Draft[] {
  const mid = newMid();
  const old = {
    postback: { title: "Menu", payload: "MENU", referral: { ref: "x", source: "ADS", type: "OPEN_THREAD" } },
  };
  return [
    {
      name: "postback",
      mid,
      entry: event(scene, { postback: { mid, title: "Get started", payload: "START" } }),
      expected: { text: "Get started" },
    },
    { name: "postback without an id", entry: event(scene, old), expected: { text: "Menu" } },
  ];
}

function instagramOnly(scene: Scene): Draft[] {
  const story = { id: "17900000000000001", url: cdn };
  return [
    said(scene, "story reply", { text: "love it", reply_to: { story } }, { text: "love it" }),
    attached(scene, "story_mention", { url: cdn }, "story_mention", cdn),
    attached(scene, "share", { url: cdn }, "share", cdn),
    attached(scene, "reel", { url: cdn }, "share", cdn),
    attached(scene, "ig_story", { story_media_id: "1", story_media_url: cdn }, "share", cdn),
    attached(scene, "story", { url: cdn }, "share", cdn),
    attached(scene, "media", { url: cdn }, "share", cdn),
    attached(scene, "like_heart", null, "share", null),
    attached(scene, "ephemeral", null, "share", null),
    attached(scene, "unsupported_type", {}, "unsupported", null),
    told(scene, "read", { read: { mid: "aWdfZAG1" } }),
  ];
}

function messengerOnly(scene: Scene): Draft[] {
  return [
    attached(scene, "sticker", { url: cdn, sticker_id: 369239263222822 }, "sticker", cdn),
    attached(scene, "image", { url: cdn, sticker_id: 369239263222822 }, "sticker", cdn),
    attached(scene, "location", { coordinates: { lat: 55.6761, long: 12.5683 } }, "location", null),
    attached(scene, "fallback", { url: "https://example.com/a", title: "A page" }, "share", "https://example.com/a"),
    said(
      scene,
      "fallback without a payload",
      { attachments: [{ type: "fallback", title: "A page", url: "https://example.com/b", payload: null }] },
      { attachments: [{ type: "share", url: "https://example.com/b" }] },
    ),
    attached(scene, "post", { url: cdn, title: "A post", id: "1" }, "share", cdn),
    attached(scene, "appointment_booking", { id: "1" }, "share", null),
    said(
      scene,
      "inline reply to oneself",
      { text: "and", reply_to: { mid: "m_own", is_self_reply: true } },
      { text: "and", reply_to: "m_own" },
    ),
    echoed(
      scene,
      "echo of another app",
      { text: "bot", app_id: 4711, metadata: "x" },
      { text: "bot", sent_via: "other_app" },
    ),
    echoed(scene, "echo of the page inbox", { text: "inbox", app_id: 26390203743090 }, { text: "inbox" }),
    told(scene, "read", { read: { watermark: scene.at, seq: 38 } }),
    told(scene, "delivery", { delivery: { mids: ["m_x"], watermark: scene.at } }),
    {
      name: "delivery without a time",
      entry: {
        time: scene.at,
        id: scene.account,
        messaging: [
          {
            sender: { id: scene.person },
            recipient: { id: scene.account },
            delivery: { mids: ["m_x"], watermark: scene.at },
          },
        ],
      },
    },
  ];
}
