import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { preferences } from "../common/preferences.ts";
import { lastKnown } from "../data/conversation-book.ts";
import { personName } from "../data/names.ts";
import type { Message } from "../data/types.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { inboxPath } from "../paths.ts";
import { isDialogRequired } from "../ui/required-dialog.ts";
import type { Arrival } from "./groups.ts";
import { Notifier } from "./notifier.ts";
import { OneTab } from "./one-tab.ts";
import { texts } from "./texts.ts";
import { playTone } from "./tone.ts";

const TEXT_CHARS_MAX = 140;

/** Gives the signs for new messages that the person wants: one tab does, and notifications wait until no tab is looked at. */
export function useSigns(): void {
  const { inbox, tenant, person } = useWorkspace();
  const [, navigate] = useLocation();
  const seen = useRef(new Set<string>());
  useEffect(() => {
    const notifier = new Notifier(tenant, (conversation) => {
      if (!isDialogRequired()) navigate(inboxPath(tenant, conversation));
    });
    const tab = new OneTab(`${person.userId} ${tenant}`, navigator.locks ?? null, () => notifier.clear());
    const look = () => {
      if (document.visibilityState === "hidden") return tab.lookAway();
      tab.look();
      notifier.clear();
    };
    look();
    document.addEventListener("visibilitychange", look);
    const contentOf = ({ conversation_id, text }: Pick<Message, "conversation_id" | "text">): Arrival["content"] => {
      const conversation = lastKnown(inbox.getState().book, conversation_id);
      const name = conversation ? printableText(personName(conversation)) : texts.app;
      return { name, text: shortened(printableText(text)) || texts.other };
    };
    const endEvents = inbox.onEvent((event) => {
      if (event.type !== "message.received" || event.tenant_id !== tenant || seen.current.has(event.id)) return;
      seen.current.add(event.id);
      if (!tab.isLeading) return;
      const { sound, notifications, notificationTexts } = preferences();
      if (sound) playTone();
      if (!notifications) return;
      const { message } = event.data;
      void tab.isLookedAt().then((isLookedAt) => {
        if (isLookedAt) return;
        const content = notificationTexts ? contentOf(message as Message) : null;
        notifier.show({ conversation: message.conversation_id, at: Date.now(), content });
      });
    });
    return () => {
      document.removeEventListener("visibilitychange", look);
      endEvents();
      tab.close();
      notifier.clear();
    };
  }, [inbox, tenant, person.userId, navigate]);
}

/** One line of a text, cut between characters. */
function shortened(text: string): string {
  const characters = [...text.replace(/\s+/g, " ").trim()];
  if (characters.length <= TEXT_CHARS_MAX) return characters.join("");
  return `${characters.slice(0, TEXT_CHARS_MAX - 1).join("")}…`;
}
