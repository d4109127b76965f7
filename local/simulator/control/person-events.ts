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
] as const;
type PersonKind = (typeof personKinds)[number];

export interface PersonSends {
  kind: PersonKind;
  text: string | undefined;
  attachments: Attachment[];
  /** The message the action is about: reactions, unsends, edits, reads. */
  mid: string | undefined;
  replyTo: string | undefined;
  emoji: string | undefined;
  /** Where the simulator serves pictures of its own. */
  mediaUrl: string;
}

/** What a person's action puts into the webhook, and the thread's message it belongs to. */
interface PersonEvent {
  kind: EventKind;
  content: Record<string, unknown>;
  mid: string | null;
  at: number;
}

interface Scene {
  world: World;
  account: Account;
  person: Person;
  thread: Thread;
  action: PersonSends;
}

type Maker = (scene: Scene) => PersonEvent;

const reactionNames: Record<string, string> = {
  "❤️": "love",
  "😆": "laugh",
  "😮": "wow",
  "😢": "sad",
  "😠": "angry",
  "👍": "like",
};

const makers: Record<PersonKind, Maker> = {
  text: (scene) => message(scene, { text: scene.action.text }),
  image: (scene) =>
    message(scene, {
      text: scene.action.text,
      attachments:
        scene.action.attachments.length > 0
          ? scene.action.attachments
          : [{ type: "image", payload: { url: `${scene.action.mediaUrl}/photo-${Date.now() % 6}.png` } }],
    }),
  quick_reply: (scene) => {
    const text = scene.action.text ?? "Yes, please";
    return message(scene, { text, note: "Chose a quick reply" }, { quick_reply: { payload: "QUICK_REPLY" } });
  },
  story_reply: (scene) => {
    onlyOn("Instagram", scene);
    const story = { id: "17900000000000001", url: `${scene.action.mediaUrl}/story-1.png` };
    const text = scene.action.text ?? "Love this!";
    return message(scene, { text, note: "Replied to your story" }, { reply_to: { story } });
  },
  story_mention: (scene) => {
    onlyOn("Instagram", scene);
    const mention = { type: "story_mention", payload: { url: `${scene.action.mediaUrl}/story-2.png` } };
    return message(scene, { attachments: [mention], note: "Mentioned you in a story" });
  },
  view_once: (scene) => {
    onlyOn("Instagram", scene);
    return message(scene, { attachments: [{ type: "ephemeral" }], note: "Sent a photo to view once" });
  },
  sticker: (scene) => {
    const url = `${scene.action.mediaUrl}/sticker-1.png`;
    const messenger = { type: "sticker", payload: { url, sticker_id: 369239263222822 } };
    return message(scene, {
      attachments: [isInstagram(scene.account) ? { type: "like_heart" } : messenger],
      note: "Sent a sticker",
    });
  },
  location: (scene) => {
    onlyOn("Messenger", scene);
    const payload = { coordinates: { lat: 55.6761, long: 12.5683 } };
    return message(scene, { attachments: [{ type: "location", payload }], note: "Shared a location" });
  },
  reaction: (scene) => {
    const { world, action, thread } = scene;
    const target = aboutMessage(scene, "account");
    const at = world.now();
    if (action.emoji === "") {
      delete target.reactions.person;
      return { kind: "reaction", content: { reaction: { mid: target.mid, action: "unreact" } }, mid: null, at };
    }
    const emoji = action.emoji ?? "❤️";
    target.reactions.person = emoji;
    thread.lastInboundAt = at;
    const reaction = { mid: target.mid, action: "react", reaction: reactionNames[emoji] ?? "other", emoji };
    return { kind: "reaction", content: { reaction }, mid: null, at };
  },
  unsend: (scene) => {
    const target = aboutMessage(scene, "person");
    Object.assign(target, { deleted: true, text: null, attachments: [] });
    const content = { message: { mid: target.mid, is_deleted: true } };
    return { kind: "message", content, mid: null, at: scene.world.now() };
  },
  edit: (scene) => {
    const target = aboutMessage(scene, "person");
    target.text = scene.action.text ?? `${target.text ?? ""} (edited)`;
    target.edits += 1;
    const content = { message_edit: { mid: target.mid, text: target.text, num_edit: target.edits } };
    return { kind: "edit", content, mid: null, at: scene.world.now() };
  },
  // Live traffic holds these beside ordinary messages; nobody edited anything.
  edit_noise: (scene) => {
    const { mid } = aboutMessage(scene, "person");
    return { kind: "edit", content: { message_edit: { mid, num_edit: 0 } }, mid: null, at: scene.world.now() };
  },
  postback: (scene) => {
    const title = scene.action.text ?? "Get started";
    const { mid, at } = add(scene, { text: title, note: "Pressed a button" });
    return { kind: "postback", content: { postback: { mid, title, payload: "GET_STARTED" } }, mid, at };
  },
  read: (scene) => {
    const at = scene.world.now();
    if (!isInstagram(scene.account)) return { kind: "read", content: { read: { watermark: at } }, mid: null, at };
    return { kind: "read", content: { read: { mid: aboutMessage(scene, "account").mid } }, mid: null, at };
  },
  referral: (scene) => {
    const at = scene.world.now();
    scene.thread.lastInboundAt = at;
    const referral = { ref: scene.action.text ?? "summer", source: "SHORTLINK", type: "OPEN_THREAD" };
    return { kind: "referral", content: { referral }, mid: null, at };
  },
};

/** Does what the person does: changes the thread and gives the event. Throws BadInput when it cannot be done. */
export function personEvent(
  world: World,
  account: Account,
  person: Person,
  thread: Thread,
  action: PersonSends,
): PersonEvent {
  return makers[action.kind]({ world, account, person, thread, action });
}

function onlyOn(platform: "Instagram" | "Messenger", { account, action }: Scene): void {
  if (isInstagram(account) !== (platform === "Instagram")) {
    throw new BadInput(`${action.kind} happens on ${platform} only: choose another kind or account`);
  }
}

function add({ world, account, thread }: Scene, content: Partial<ThreadMessage>): ThreadMessage {
  const added = world.addMessage(account, thread, { from: "person", ...content });
  thread.lastInboundAt = added.at;
  return added;
}

function message(
  scene: Scene,
  content: { text?: string | undefined; attachments?: Attachment[]; note?: string },
  extra: Record<string, unknown> = {},
): PersonEvent {
  const { replyTo } = scene.action;
  const { text, attachments = scene.action.attachments, note = null } = content;
  if (text === undefined && attachments.length === 0) throw new BadInput("text is missing: say what the person writes");
  const { mid, at } = add(scene, { text: text ?? null, attachments, note, replyTo: replyTo ?? null });
  const body = {
    mid,
    ...(text === undefined ? {} : { text }),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(replyTo === undefined ? {} : { reply_to: { mid: replyTo } }),
    ...extra,
  };
  return { kind: "message", content: { message: body }, mid, at };
}

/** The message named by `mid`; without one the newest of the side the action is usually about, else the newest. */
function aboutMessage({ thread, action }: Scene, usual: ThreadMessage["from"]): ThreadMessage {
  const own = usual === "person" && action.kind !== "reaction";
  const found =
    action.mid === undefined
      ? (thread.messages.findLast((one) => one.from === usual && !one.deleted) ??
        (own ? undefined : thread.messages.at(-1)))
      : thread.messages.find((one) => one.mid === action.mid && (!own || one.from === "person"));
  if (found === undefined) {
    throw new BadInput(`there is no message for ${action.kind} in this thread: send one first, or name another mid`);
  }
  return found;
}
