import type { Thread, ThreadMessage } from "../world/model.ts";
import { bubble } from "./bubble.ts";
import { button, byId, element, setText } from "./dom.ts";
import { icon } from "./icons.ts";
import { type MessageHandlers, messageActions } from "./message-actions.ts";
import { speak } from "./notices.ts";
import { avatar } from "./people-list.ts";
import { now, type Scene } from "./store.ts";
import { formatDay, formatDuration, formatTime, isSameDay } from "./times.ts";

const groupMs = 5 * 60_000;
let shownThread = "";

/** Updates the thread message by message: an unchanged one is not replaced. */
export function drawThread(scene: Scene, selectedMid: string | null, handlers: MessageHandlers): void {
  const { account, person, thread, state } = scene;
  const list = byId("thread");
  const key = `${account?.key}/${person?.id}`;
  const isOther = shownThread !== key;
  const atEnd = isOther || isAtEnd;
  if (isOther) {
    list.replaceChildren();
    shownThread = key;
  }
  const messages = thread?.messages ?? [];
  byId("empty").hidden = messages.length > 0;
  setText(byId("empty-text"), person ? `Write to ${account?.displayName} as ${person.name}.` : "Add a person first.");

  const views = new Map(
    [...list.children].map((view) => [(view as HTMLElement).dataset.mid ?? "", view as HTMLElement]),
  );
  const lastOwn = messages.findLast(({ from }) => from === "person");
  let previous: HTMLElement | null = null;
  for (const [index, message] of messages.entries()) {
    const context: MessageContext = {
      message,
      before: messages[index - 1],
      after: messages[index + 1],
      quoted: messages.find(({ mid }) => mid === message.replyTo),
      isSelected: message.mid === selectedMid,
      isLastOwn: message === lastOwn,
      retryAt: state.pending.find(({ mids, attempts }) => attempts > 0 && mids.includes(message.mid))?.dueAt ?? null,
    };
    previous = updateView(list, views.get(message.mid), { scene, context, handlers, previous, isNew: !isOther });
    views.delete(message.mid);
  }
  for (const view of views.values()) view.remove();
  setRovingStop(list);
  if (atEnd) scrollToEnd();
}

/** Whether the newest message is in view. The thread then stays at its end when it grows or its pane shrinks. */
let isAtEnd = true;

export function scrollToEnd(): void {
  byId("scroll").scrollTop = byId("scroll").scrollHeight;
}

interface MessageContext {
  message: ThreadMessage;
  before: ThreadMessage | undefined;
  after: ThreadMessage | undefined;
  quoted: ThreadMessage | undefined;
  isSelected: boolean;
  isLastOwn: boolean;
  /** The time of the next attempt after a failed one; null if none failed. */
  retryAt: number | null;
}

interface Update {
  scene: Scene;
  context: MessageContext;
  handlers: MessageHandlers;
  previous: HTMLElement | null;
  /** The message arrived in a thread that was already shown. */
  isNew: boolean;
}

function updateView(list: HTMLElement, view: HTMLElement | undefined, update: Update): HTMLElement {
  const { context, scene, handlers, previous, isNew } = update;
  const { message } = context;
  const shape = JSON.stringify([
    message,
    context.isSelected,
    statusText(context),
    isGrouped(context.before, message),
    isGrouped(message, context.after),
    dayOf(context),
    context.quoted?.deleted,
  ]);
  if (view?.dataset.shape === shape) return view;
  const created = messageView(context, scene, handlers);
  created.dataset.shape = shape;
  created.dataset.mid = message.mid;
  if (view === undefined) {
    if (previous === null) list.prepend(created);
    else previous.after(created);
    if (isNew) {
      created.classList.add("arriving");
      if (message.from === "account")
        speak(`${scene.account?.displayName}: ${message.text ?? message.note ?? "attachment"}`);
    }
    return created;
  }
  const focused = view.contains(document.activeElement) ? document.activeElement : null;
  const focusedKey = focused instanceof HTMLElement ? focused.dataset.key : undefined;
  created.dataset.stop = view.dataset.stop ?? "";
  view.replaceWith(created);
  if (focusedKey !== undefined) created.querySelector<HTMLElement>(`[data-key="${CSS.escape(focusedKey)}"]`)?.focus();
  return created;
}

function isGrouped(a: ThreadMessage | undefined, b: ThreadMessage | undefined): boolean {
  return a !== undefined && b !== undefined && a.from === b.from && b.at - a.at < groupMs && isSameDay(a.at, b.at);
}

/** The divider above the message: the day, or the time after a pause of an hour. Null if there is none. */
function dayOf({ message, before }: MessageContext): string | null {
  if (before === undefined || !isSameDay(before.at, message.at)) {
    return `${formatDay(message.at, now())}, ${formatTime(message.at)}`;
  }
  return message.at - before.at > 3_600_000 ? formatTime(message.at) : null;
}

function messageView(context: MessageContext, scene: Scene, handlers: MessageHandlers): HTMLElement {
  const { message, before, after, quoted, isSelected } = context;
  const names = { person: scene.person?.name ?? "Person", account: scene.account?.displayName ?? "Business" };
  const subject = `“${(message.deleted ? "unsent message" : (message.text ?? message.note ?? "attachment")).slice(0, 40)}”`;
  const day = dayOf(context);
  const classes = ["message", message.from];
  if (isGrouped(before, message)) classes.push("follows");
  if (isGrouped(message, after)) classes.push("precedes");
  if (isSelected) classes.push("selected");
  const content = element("div", { class: "content" }, bubble(message, quoted, quoted ? names[quoted.from] : ""));
  content.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a, video, audio") === null) handlers.details(message);
  });
  const reactions = [message.reactions.person, message.reactions.account].filter((one) => one !== undefined);
  if (reactions.length > 0) {
    content.append(
      element(
        "span",
        { class: "reactions", role: "img", "aria-label": `Reactions: ${reactions.join(" ")}` },
        reactions.join(""),
      ),
    );
  }
  return element(
    "li",
    { class: classes.join(" ") },
    day === null ? null : element("p", { class: "day" }, day),
    element(
      "div",
      { class: "line" },
      message.from === "account" ? avatar(names.account, scene.account?.key ?? "", "tiny") : null,
      element("span", { class: "unseen" }, `${names[message.from]}, ${formatTime(message.at)}:`),
      content,
      messageActions(message, subject, handlers),
      element(
        "time",
        { class: "time", datetime: new Date(message.at).toISOString(), "aria-hidden": "true" },
        formatTime(message.at),
      ),
    ),
    footView(context, handlers),
  );
}

function footView(context: MessageContext, handlers: MessageHandlers): HTMLElement | null {
  const { message } = context;
  const status = statusText(context);
  const edited = message.edits > 0 && !message.deleted;
  if (status === null && !edited) return null;
  const isTrouble = status !== "Sending…" && ["waiting", "lost", "not_subscribed"].includes(message.webhook);
  return element(
    "div",
    { class: "foot" },
    edited ? element("span", {}, "Edited") : null,
    status === null
      ? null
      : button(
          { class: isTrouble ? "status trouble" : "status", "data-key": `status ${message.mid}` },
          () => handlers.details(message),
          icon(isTrouble ? "warning" : status === "Sending…" ? "clock" : "check"),
          status,
        ),
  );
}

/** The status below a message: of the newest own one, and of every message with a problem. */
function statusText({ message, isLastOwn, retryAt }: MessageContext): string | null {
  if (message.webhook === "lost") return "Lost: the subscription ended";
  if (message.webhook === "not_subscribed")
    return message.from === "person" ? "Not sent: the app is not subscribed" : "No echo: not subscribed";
  if (message.webhook === "waiting") {
    if (retryAt === null) return "Sending…";
    const wait = retryAt - now();
    const when = wait < 60_000 ? "" : ` · next attempt in ${formatDuration(wait)}`;
    return message.from === "person" ? `Not taken yet${when}` : `Echo not taken yet${when}`;
  }
  return message.webhook === "delivered" && isLastOwn ? "Accepted by the app" : null;
}

/** One message is in the tab order. The arrow keys move between messages. */
function setRovingStop(list: HTMLElement): void {
  const views = [...list.children] as HTMLElement[];
  const stop =
    views.find((view) => view.contains(document.activeElement)) ??
    views.find(({ dataset }) => dataset.stop === "true") ??
    views.at(-1);
  for (const view of views) {
    const isStop = view === stop;
    view.dataset.stop = String(isStop);
    for (const control of view.querySelectorAll<HTMLElement>("button, a, video, audio"))
      control.tabIndex = isStop ? 0 : -1;
  }
}

/** Connects the arrow keys of the thread. */
export function connectThread(): void {
  const list = byId("thread");
  const scroll = byId("scroll");
  scroll.addEventListener("scroll", () => {
    isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  });
  new ResizeObserver(() => {
    // The details take room from the thread: their message stays in view.
    const inspected = list.querySelector(".selected");
    if (inspected !== null) inspected.scrollIntoView({ block: "nearest" });
    else if (isAtEnd) scrollToEnd();
  }).observe(scroll);
  list.addEventListener("focusin", () => setRovingStop(list));
  list.addEventListener("keydown", (event) => {
    if (!["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key) || event.target instanceof HTMLMediaElement)
      return;
    if ((event.target as HTMLElement).closest('[role="menu"]')) return;
    const views = [...list.children] as HTMLElement[];
    const at = views.findIndex((view) => view.contains(document.activeElement));
    const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: views.length - 1 }[event.key] ?? at;
    event.preventDefault();
    const controls =
      views[Math.max(0, Math.min(next, views.length - 1))]?.querySelectorAll<HTMLElement>(".actions button");
    const wantedKind = (document.activeElement as HTMLElement).dataset.key?.split(" ")[0];
    const control =
      [...(controls ?? [])].find(({ dataset }) => dataset.key?.startsWith(`${wantedKind} `)) ?? controls?.[0];
    control?.focus();
  });
}

/** The state of the send window, and whether a text can be sent now. */
export function windowState(thread: Thread | undefined): { text: string; open: boolean } | null {
  const last = thread?.lastInboundAt ?? null;
  if (last === null) return null;
  const left = last + 24 * 3_600_000 - now();
  if (left >= 0) return { text: `Open for ${formatDuration(left)}`, open: true };
  const human = last + 7 * 24 * 3_600_000 - now();
  if (human >= 0) return { text: `Human agent for ${formatDuration(human)}`, open: false };
  return { text: "Window closed", open: false };
}
