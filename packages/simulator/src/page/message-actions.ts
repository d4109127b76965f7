import type { ThreadMessage } from "../world/model.ts";
import { button, element } from "./dom.ts";
import { icon } from "./icons.ts";
import { attachMenu, type MenuEntry } from "./menu.ts";

const emojis: [emoji: string, name: string][] = [
  ["❤️", "Heart"],
  ["😆", "Laugh"],
  ["😮", "Wow"],
  ["😢", "Sad"],
  ["😠", "Angry"],
  ["👍", "Like"],
];

/** What the developer does with a message. */
export interface MessageHandlers {
  details(message: ThreadMessage): void;
  reply(message: ThreadMessage): void;
  edit(message: ThreadMessage): void;
  unsend(message: ThreadMessage): void;
  react(message: ThreadMessage, emoji: string): void;
}

/** The buttons of a message: reactions, its details, and a menu with the rest. Their names contain `subject`. */
export function messageActions(message: ThreadMessage, subject: string, handlers: MessageHandlers): HTMLElement {
  const details = button(
    {
      class: "round small",
      "data-key": `details ${message.mid}`,
      "aria-label": `Details of ${subject}`,
      title: "Webhook, answer, event, deliveries",
    },
    () => handlers.details(message),
    icon("code"),
  );
  const box = element("div", { class: "actions" });
  if (message.deleted) {
    box.append(details);
    return box;
  }
  const reaction = button(
    { class: "round small", "data-key": `react ${message.mid}`, "aria-label": `React to ${subject}`, title: "React" },
    null,
    icon("smile"),
  );
  const current = message.reactions.person;
  attachMenu(reaction, {
    label: "Reactions",
    layout: "row",
    entries: () =>
      emojis.map(([emoji, name]) => ({
        label: emoji,
        hint: name,
        checked: current === emoji,
        radio: true,
        run: () => handlers.react(message, current === emoji ? "" : emoji),
      })),
  });
  const more = button(
    {
      class: "round small",
      "data-key": `more ${message.mid}`,
      "aria-label": `More actions for ${subject}`,
      title: "More",
    },
    null,
    icon("more"),
  );
  attachMenu(more, { label: "Message", entries: () => moreEntries(message, handlers) });
  box.append(reaction, details, more);
  return box;
}

function moreEntries(message: ThreadMessage, handlers: MessageHandlers): MenuEntry[] {
  const isOwn = message.from === "person";
  return [
    { label: "Details", run: () => handlers.details(message) },
    { label: "Reply", run: () => handlers.reply(message) },
    ...(isOwn && message.text !== null ? [{ label: "Edit", run: () => handlers.edit(message) }] : []),
    { label: isOwn ? "Unsend" : "Unsend as the business", run: () => handlers.unsend(message) },
    ...(message.reactions.person === undefined
      ? []
      : [{ label: "Remove the reaction", run: () => handlers.react(message, "") }]),
  ];
}
