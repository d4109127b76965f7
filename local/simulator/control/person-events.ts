import { BadInput } from "../http/fields.ts";
import type { EventKind } from "../webhooks/outgoing.ts";
import type { Account, Attachment, Person, Thread, ThreadMessage } from "../world/model.ts";
import { isInstagram, type World } from "../world/world.ts";

export const personKinds = [
  "text",
  "image",
  "story_reply",
  "story_mention",
  "reaction",
  "unsend",
  "edit",
  "edit_noise",
  "postback",
  "read",
  "referral",
  "view_once",
  "sticker",
  "location",
  "quick_reply",
  "like",
  "shared_post",
  "ad_message",
] as const;
type PersonKind = (typeof personKinds)[number];

export interface PersonAction {
  kind: PersonKind;
  text: string | undefined;
  attachments: Attachment[];
  /** The target message of a reaction, unsend, edit or read. */
  mid: string | undefined;
  replyTo: string | undefined;
  emoji: string | undefined;
  /** The payload of a quick reply or postback. */
  payload: string | undefined;
  /** The ad of a referral or of a message that began at an ad. */
  adId: string | undefined;
  /** A reaction or unsend of the account itself. */
  byAccount: boolean;
  /** The URL under which the simulator serves its sample pictures. */
  mediaUrl: string;
}

/** The webhook content of a person's action, and the message of the thread that it belongs to. */
interface PersonEvent {
  kind: EventKind;
  content: Record<string, unknown>;
  mid: string | null;
  at: number;
  /** The account is the sender. */
  isEcho?: boolean;
}

interface ActionContext {
  world: World;
  account: Account;
  person: Person;
  thread: Thread;
  action: PersonAction;
}

type EventBuilder = (context: ActionContext) => PersonEvent;

const reactionNames: Record<string, string> = {
  "❤️": "love",
  "😆": "laugh",
  "😮": "wow",
  "😢": "sad",
  "😠": "angry",
  "👍": "like",
};

const eventBuilders: Record<PersonKind, EventBuilder> = {
  text: (context) => messageEvent(context, { text: context.action.text }),
  image: (context) =>
    messageEvent(context, {
      text: context.action.text,
      attachments:
        context.action.attachments.length > 0
          ? context.action.attachments
          : [{ type: "image", payload: { url: `${context.action.mediaUrl}/photo-${Date.now() % 6}.png` } }],
    }),
  quick_reply: (context) => {
    const text = context.action.text ?? "Yes, please";
    return messageEvent(
      context,
      { text, note: "Chose a quick reply" },
      { quick_reply: { payload: context.action.payload ?? "QUICK_REPLY" } },
    );
  },
  story_reply: (context) => {
    requirePlatform("Instagram", context);
    const story = { id: "17900000000000001", url: `${context.action.mediaUrl}/story-1.png` };
    const text = context.action.text ?? "Love this!";
    return messageEvent(context, { text, note: "Replied to your story" }, { reply_to: { story } });
  },
  story_mention: (context) => {
    requirePlatform("Instagram", context);
    const mention = { type: "story_mention", payload: { url: `${context.action.mediaUrl}/story-2.png` } };
    return messageEvent(context, { attachments: [mention], note: "Mentioned you in a story" });
  },
  view_once: (context) => {
    requirePlatform("Instagram", context);
    return messageEvent(context, { attachments: [{ type: "ephemeral" }], note: "Sent a photo to view once" });
  },
  sticker: (context) => {
    const url = `${context.action.mediaUrl}/sticker-1.png`;
    const messenger = { type: "sticker", payload: { url, sticker_id: 369239263222822 } };
    return messageEvent(context, {
      attachments: [isInstagram(context.account) ? { type: "like_heart" } : messenger],
      note: "Sent a sticker",
    });
  },
  like: (context) => {
    const url = `${context.action.mediaUrl}/sticker-1.png`;
    const thumb = { type: "image", payload: { url, sticker_id: 369239263222822 } };
    const attachments = [isInstagram(context.account) ? { type: "like_heart" } : thumb];
    return messageEvent(context, { attachments, note: "Sent a like" });
  },
  shared_post: (context) => {
    const url = `${context.action.mediaUrl}/photo-1.png`;
    const title = "Autumn collection";
    const instagram = { type: "ig_post", payload: { url, title, ig_post_media_id: "17900000000000002" } };
    const attachments = [isInstagram(context.account) ? instagram : { type: "fallback", payload: { url, title } }];
    return messageEvent(context, { attachments, note: "Shared a post" });
  },
  ad_message: (context) => {
    const text = context.action.text ?? "Is this still available?";
    const ad_id = context.action.adId ?? "23851234567890123";
    const referral = { ref: "autumn-ad", source: "ADS", type: "OPEN_THREAD", ad_id };
    return messageEvent(context, { text, note: "Wrote from an ad" }, { referral });
  },
  location: (context) => {
    requirePlatform("Messenger", context);
    const payload = { coordinates: { lat: 55.6761, long: 12.5683 } };
    const attachment = { type: "location", title: "Pinned Location", payload };
    return messageEvent(context, { attachments: [attachment], note: "Shared a location" });
  },
  reaction: (context) => {
    const { world, action, thread } = context;
    const [side, other] = action.byAccount ? (["account", "person"] as const) : (["person", "account"] as const);
    const target = findTarget(context, other);
    const event = { kind: "reaction", mid: null, at: world.now(), isEcho: action.byAccount } as const;
    if (action.emoji === "") {
      delete target.reactions[side];
      return { ...event, content: { reaction: { mid: target.mid, action: "unreact" } } };
    }
    const emoji = action.emoji ?? "❤️";
    target.reactions[side] = emoji;
    if (side === "person") thread.lastInboundAt = event.at;
    const reaction = { mid: target.mid, action: "react", reaction: reactionNames[emoji] ?? "other", emoji };
    return { ...event, content: { reaction } };
  },
  unsend: (context) => {
    const { byAccount } = context.action;
    const target = findTarget(context, byAccount ? "account" : "person");
    Object.assign(target, { deleted: true, text: null, attachments: [] });
    const content = { message: { mid: target.mid, is_deleted: true, ...(byAccount ? { is_echo: true } : {}) } };
    const kind = byAccount ? "echo" : "message";
    return { kind, content, mid: null, at: context.world.now(), isEcho: byAccount };
  },
  edit: (context) => {
    const target = findTarget(context, "person");
    target.text = context.action.text ?? `${target.text ?? ""} (edited)`;
    target.edits += 1;
    const content = { message_edit: { mid: target.mid, text: target.text, num_edit: target.edits } };
    return { kind: "edit", content, mid: null, at: context.world.now() };
  },
  // The real platforms send these beside ordinary messages although nothing was edited.
  edit_noise: (context) => {
    const { mid } = findTarget(context, "person");
    return { kind: "edit", content: { message_edit: { mid, num_edit: 0 } }, mid: null, at: context.world.now() };
  },
  postback: (context) => {
    const title = context.action.text ?? "Get started";
    const { mid, at } = addPersonMessage(context, { text: title, note: "Pressed a button" });
    return {
      kind: "postback",
      content: { postback: { mid, title, payload: context.action.payload ?? "GET_STARTED" } },
      mid,
      at,
    };
  },
  read: (context) => {
    const at = context.world.now();
    if (!isInstagram(context.account)) return { kind: "read", content: { read: { watermark: at } }, mid: null, at };
    return { kind: "read", content: { read: { mid: findTarget(context, "account").mid } }, mid: null, at };
  },
  referral: (context) => {
    const at = context.world.now();
    context.thread.lastInboundAt = at;
    const { text = "summer", adId } = context.action;
    const source = adId === undefined ? { source: "SHORTLINK" } : { source: "ADS", ad_id: adId };
    const referral = { ref: text, type: "OPEN_THREAD", ...source };
    return { kind: "referral", content: { referral }, mid: null, at };
  },
};

/** Performs the action: changes the thread and returns the event. Throws BadInput if it is not possible. */
export function personEvent(context: ActionContext): PersonEvent {
  return eventBuilders[context.action.kind](context);
}

function requirePlatform(platform: "Instagram" | "Messenger", { account, action }: ActionContext): void {
  if (isInstagram(account) !== (platform === "Instagram")) {
    throw new BadInput(`${action.kind} exists on ${platform} only: choose another kind or account`);
  }
}

function addPersonMessage({ world, account, thread }: ActionContext, content: Partial<ThreadMessage>): ThreadMessage {
  const added = world.addMessage(account, thread, { from: "person", ...content });
  thread.lastInboundAt = added.at;
  return added;
}

function messageEvent(
  context: ActionContext,
  content: { text?: string | undefined; attachments?: Attachment[]; note?: string },
  extra: Record<string, unknown> = {},
): PersonEvent {
  const { replyTo } = context.action;
  const { text, attachments = context.action.attachments, note = null } = content;
  if (text === undefined && attachments.length === 0)
    throw new BadInput("text is missing: set the text that the person writes");
  const { mid, at } = addPersonMessage(context, { text: text ?? null, attachments, note, replyTo: replyTo ?? null });
  const body = {
    mid,
    ...(text === undefined ? {} : { text }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(replyTo === undefined ? {} : { reply_to: { mid: replyTo } }),
    ...extra,
  };
  return { kind: "message", content: { message: body }, mid, at };
}

/** The message with that `mid`. Without one, the newest message of `defaultSide`, or else the newest message. */
function findTarget({ thread, action }: ActionContext, defaultSide: ThreadMessage["from"]): ThreadMessage {
  const personOnly = defaultSide === "person" && action.kind !== "reaction";
  const target =
    action.mid === undefined
      ? (thread.messages.findLast((one) => one.from === defaultSide && !one.deleted) ??
        (personOnly ? undefined : thread.messages.at(-1)))
      : thread.messages.find((one) => one.mid === action.mid && (!personOnly || one.from === "person"));
  if (target === undefined) {
    throw new BadInput(`there is no message for ${action.kind} in this thread: send one first or set another mid`);
  }
  return target;
}
