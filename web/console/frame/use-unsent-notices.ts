import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useNotices } from "../common/notices.tsx";
import { lastKnown } from "../data/conversation-book.ts";
import { personName } from "../data/names.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { useSends } from "../inbox/composer/use-composer.ts";
import { inboxPath } from "../paths.ts";
import { texts } from "./texts.ts";

/** Says that a message was not sent whose conversation is not open any more. @param openId the open one; null without one */
export function useUnsentNotices(openId: string | null): void {
  const { inbox, tenant } = useWorkspace();
  const { show } = useNotices();
  const [, navigate] = useLocation();
  const sends = useSends();
  const sending = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const ended = sends.filter(({ key }) => sending.current.has(key));
    sending.current = new Set(sends.filter(({ state }) => state.kind === "sending").map(({ key }) => key));
    for (const { conversation, state } of ended) {
      if (conversation === openId || (state.kind !== "failed" && state.kind !== "unknown")) continue;
      const person = lastKnown(inbox.getState().book, conversation);
      const name = person ? printableText(personName(person)) : texts.someone;
      show({
        text: state.kind === "failed" ? texts.unsent(name) : texts.perhapsUnsent(name),
        kind: "problem",
        staysOpen: true,
        action: { label: texts.openConversation, run: () => navigate(inboxPath(tenant, conversation)) },
      });
    }
  }, [sends, openId, inbox, tenant, show, navigate]);
}
