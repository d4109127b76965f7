// Renders a thread message by message. An unchanged message is not replaced, so that screen readers announce only changes.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Creates an element with a class and children. Strings become text nodes. */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

const states = {
  waiting: { person: "Webhook pending", account: "Echo pending" },
  delivered: { person: "Webhook delivered", account: "Echo delivered" },
  not_subscribed: { person: "Not subscribed", account: "No echo" },
  none: { person: "", account: "" },
};

function attachmentView(attachment) {
  const url = attachment.payload?.url;
  if (!url) return null;
  // An image of another origin stays a link: the page's policy allows its own origin only.
  if (new URL(url, location.href).origin === location.origin && attachment.type !== "file") {
    const image = element("img");
    image.src = url;
    image.alt = `Attachment: ${attachment.type}`;
    image.width = 280;
    image.height = 210;
    return image;
  }
  const link = element("a", "", `Open the ${attachment.type}`);
  link.href = url;
  link.target = "_blank";
  link.rel = "noreferrer";
  return element("p", "", link);
}

function bubble(message) {
  const box = element("div", "bubble");
  if (message.deleted) {
    box.append(element("p", "note", "Message unsent"));
    return box;
  }
  if (message.note) box.append(element("p", "note", message.note));
  if (message.replyTo) box.append(element("p", "note", "In reply to an earlier message"));
  for (const attachment of message.attachments) box.append(attachmentView(attachment) ?? "");
  if (message.text) box.append(element("p", "", message.text));
  return box;
}

function foot(message, react) {
  const line = element("div", "foot");
  const time = element("time", "", clock.format(message.at));
  time.dateTime = new Date(message.at).toISOString();
  line.append(time);
  if (message.edits > 0) line.append(element("span", "", "Edited"));
  const state = states[message.webhook][message.from];
  if (state) line.append(element("span", message.webhook, state));
  if (message.from === "account" && !message.deleted) {
    const reacted = Boolean(message.reactions.person);
    const button = element("button", "", reacted ? "Remove reaction" : "React ❤️");
    button.type = "button";
    button.setAttribute("aria-label", reacted ? "Remove the reaction" : "React with a heart");
    button.addEventListener("click", () => react(message.mid, reacted ? "" : "❤️"));
    line.append(button);
  }
  return line;
}

function messageView(message, names, react) {
  const item = element("li", `message ${message.from}${message.deleted ? " deleted" : ""}`);
  item.append(element("span", "unseen", `${names[message.from]}:`), bubble(message));
  const reactions = [message.reactions.person, message.reactions.account].filter(Boolean);
  if (reactions.length > 0) item.append(element("span", "reactions", reactions.join(" ")));
  item.append(foot(message, react));
  return item;
}

/** Updates the list to the messages. `key` identifies the thread: another thread replaces the whole list. */
export function drawThread(list, { key, messages, names }, react) {
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren();
  }
  const known = new Map([...list.children].map((item) => [item.dataset.mid, item]));
  for (const message of messages) {
    const shape = JSON.stringify(message);
    const before = known.get(message.mid);
    known.delete(message.mid);
    if (before?.dataset.shape === shape) continue;
    const item = messageView(message, names, react);
    item.dataset.mid = message.mid;
    item.dataset.shape = shape;
    if (before) {
      const held = before.contains(document.activeElement);
      before.replaceWith(item);
      if (held) item.querySelector("button")?.focus();
    } else list.append(item);
  }
  for (const gone of known.values()) gone.remove();
}
