import { BadInput } from "../http/fields.ts";
import type { EventKind } from "../webhooks/outgoing.ts";
import type { Account, Attachment, Person, Thread, ThreadMessage } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";
import type { World } from "../world/world.ts";
import { type MessageKindName, messageKinds } from "./message-kinds.ts";

const messageKindNames = Object.keys(messageKinds) as MessageKindName[];
/** What a person can do beside sending a message. */
const otherKinds = ["reaction", "unsend", "edit", "edit_noise", "postback", "read", "delivered", "referral"] as const;
type OtherKind = (typeof otherKinds)[number];

export const personKinds: readonly (MessageKindName | OtherKind)[] = [...messageKindNames, ...otherKinds];

export interface PersonAction {
  kind: MessageKindName | OtherKind;
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
  /** When it happens, by the simulator's clock. */
  at: number;
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

const eventBuilders: Record<OtherKind, EventBuilder> = {
  reaction: (context) => {
    const { action, thread } = context;
    const [side, other] = action.byAccount ? (["account", "person"] as const) : (["person", "account"] as const);
    const target = findTarget(context, other);
    if (target.deleted) throw new BadInput("the message was unsent: react to another one");
    const event = { kind: "reaction", mid: null, at: action.at, isEcho: action.byAccount } as const;
    if (action.emoji === "") {
      delete target.reactions[side];
      return { ...event, content: { reaction: { mid: target.mid, action: "unreact" } } };
    }
    const emoji = action.emoji ?? "❤️";
    target.reactions[side] = emoji;
    if (side === "person") openWindow(thread, event.at);
    const reaction = { mid: target.mid, action: "react", reaction: reactionNames[emoji] ?? "other", emoji };
    return { ...event, content: { reaction } };
  },
  unsend: (context) => {
    const { byAccount } = context.action;
    const target = findTarget(context, byAccount ? "account" : "person");
    Object.assign(target, { deleted: true, text: null, attachments: [] });
    const content = { message: { mid: target.mid, is_deleted: true, ...(byAccount ? { is_echo: true } : {}) } };
    const kind = byAccount ? "echo" : "message";
    return { kind, content, mid: null, at: context.action.at, isEcho: byAccount };
  },
  edit: (context) => {
    const target = findTarget(context, "person");
    if (target.deleted) throw new BadInput("the message was unsent: edit another one");
    target.text = context.action.text ?? `${target.text ?? ""} (edited)`;
    target.edits += 1;
    const content = { message_edit: { mid: target.mid, text: target.text, num_edit: target.edits } };
    return { kind: "edit", content, mid: null, at: context.action.at };
  },
  // The real platforms send these beside ordinary messages although nothing was edited.
  edit_noise: (context) => {
    const { mid } = findTarget(context, "person");
    return { kind: "edit", content: { message_edit: { mid, num_edit: 0 } }, mid: null, at: context.action.at };
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
    const at = context.action.at;
    if (!isInstagram(context.account)) return { kind: "read", content: { read: { watermark: at } }, mid: null, at };
    return { kind: "read", content: { read: { mid: findTarget(context, "account").mid } }, mid: null, at };
  },
  delivered: (context) => {
    requirePlatform("Messenger", context);
    const at = context.action.at;
    const mids = [findTarget(context, "account").mid];
    return { kind: "delivery", content: { delivery: { mids, watermark: at } }, mid: null, at };
  },
  referral: (context) => {
    const at = context.action.at;
    openWindow(context.thread, at);
    const { text = "summer", adId } = context.action;
    const source = adId === undefined ? { source: "SHORTLINK" } : { source: "ADS", ad_id: adId };
    const referral = { ref: text, type: "OPEN_THREAD", ...source };
    return { kind: "referral", content: { referral }, mid: null, at };
  },
};

/** Performs the action: changes the thread and returns the event. Throws BadInput if it is not possible. */
export function personEvent(context: ActionContext): PersonEvent {
  const { kind } = context.action;
  return isMessageKind(kind) ? messageEvent(context, kind) : eventBuilders[kind](context);
}

function isMessageKind(kind: PersonAction["kind"]): kind is MessageKindName {
  return Object.hasOwn(messageKinds, kind);
}

function requirePlatform(platform: "Instagram" | "Messenger", { account, action }: ActionContext): void {
  if (isInstagram(account) !== (platform === "Instagram")) {
    throw new BadInput(`${action.kind} exists on ${platform} only: choose another kind or account`);
  }
}

function addPersonMessage(
  { world, account, thread, action: { at } }: ActionContext,
  content: Partial<ThreadMessage>,
): ThreadMessage {
  const added = world.addMessage(account, thread, { from: "person", at, ...content });
  openWindow(thread, at);
  return added;
}

/** The newest action of the person opens the send window. */
function openWindow(thread: Thread, at: number): void {
  thread.lastInboundAt = Math.max(thread.lastInboundAt ?? 0, at);
}

function messageEvent(context: ActionContext, kind: MessageKindName): PersonEvent {
  const { action, account } = context;
  const { platform, parts } = messageKinds[kind];
  if (platform !== "both") requirePlatform(platform, context);
  const {
    text,
    attachments = [],
    note = null,
    story,
    extra = {},
  } = parts({
    ...action,
    onInstagram: isInstagram(account),
  });
  if (text === undefined && attachments.length === 0 && note === null)
    throw new BadInput("text is missing: set the text that the person writes");
  const { replyTo } = action;
  const { mid, at } = addPersonMessage(context, {
    text: text ?? null,
    attachments,
    note,
    replyTo: replyTo ?? null,
    ...(story === undefined ? {} : { story }),
  });
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
