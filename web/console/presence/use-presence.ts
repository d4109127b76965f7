import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTeam } from "../common/people.ts";
import { useConversation, useStream, useWorkspace } from "../data/workspace.tsx";
import { emptyPresence, nextEnd, type PresenceBook, shownPresence, withReport } from "./presence-book.ts";
import { PresenceReporter } from "./reporter.ts";
import { onWriting } from "./writing-signal.ts";

const UPDATE_MS = 5_000;

/** Reports what this person does with the open conversation, and shows what colleagues do. @param openId null without one */
export function usePresence(openId: string | null): void {
  const { inbox, person } = useWorkspace();
  const [reporter] = useState(
    () =>
      new PresenceReporter({
        report: (conversation, state) => void inbox.connection?.presence(conversation, state),
        repeat: ({ conversation, state }) =>
          void inbox.connection?.send({ type: "presence", conversation_id: conversation, state }),
        now: () => performance.now(),
      }),
  );
  const hasSeenColleague = useColleaguesShown(person.userId, reporter);
  useReports(openId, reporter, hasSeenColleague);
}

/** Follows the frames. @returns whether one of a colleague has come */
function useColleaguesShown(ownUserId: string, reporter: PresenceReporter): boolean {
  const { inbox, clock, tenant } = useWorkspace();
  const client = useQueryClient();
  const members = useTeam(false);
  const isKnown = useRef((_userId: string): boolean => true);
  isKnown.current = (userId) => members?.some(({ user_id }) => user_id === userId) ?? true;
  const { state } = useStream();
  const isLive = state === "open";
  const [hasSeen, setSeen] = useState(false);
  useEffect(() => {
    // Without a connection nothing is known.
    if (!isLive) return;
    let book: PresenceBook = emptyPresence;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lookedUp = new Set<string>();
    const show = () => {
      clearTimeout(timer);
      const now = clock.now();
      const before = inbox.getState().presence;
      const shown = shownPresence(book, now, before);
      if (shown !== before) inbox.setPresence(shown);
      const end = nextEnd(book, now);
      if (end !== null) timer = setTimeout(show, end - now + 1);
    };
    const endEvents = inbox.onEvent((event) => {
      if (event.type !== "presence.updated" || event.tenant_id !== tenant) return;
      const { conversation_id, user_id, state: reported } = event.data;
      const isNew = !inbox
        .getState()
        .presence.get(conversation_id)
        ?.some(({ userId }) => userId === user_id);
      const next = withReport(book, event, { now: clock.now(), ownUserId });
      if (next === book) return;
      book = next;
      show();
      setSeen(true);
      if (isNew && reported !== "left") reporter.greet(conversation_id);
      // A colleague who joined the team a moment ago.
      if (isKnown.current(user_id) || lookedUp.has(user_id)) return;
      lookedUp.add(user_id);
      void client.invalidateQueries({ queryKey: ["team", tenant] });
    });
    document.addEventListener("visibilitychange", show);
    return () => {
      endEvents();
      document.removeEventListener("visibilitychange", show);
      clearTimeout(timer);
      inbox.setPresence(new Map());
    };
  }, [inbox, clock, tenant, client, ownUserId, reporter, isLive]);
  return hasSeen;
}

function useReports(openId: string | null, reporter: PresenceReporter, hasSeenColleague: boolean): void {
  // One that was erased, or that is not loaded yet, is not reported.
  const conversation = useConversation(openId ?? "");
  const open = conversation === null ? null : openId;
  const members = useTeam(open !== null);
  const hasColleagues = hasSeenColleague || (members?.length ?? 0) > 1;
  const { state } = useStream();
  useEffect(() => {
    const show = (isVisible = document.visibilityState === "visible") =>
      reporter.show({ open, isVisible, hasColleagues });
    show();
    const onVisibility = () => show();
    const leave = () => show(false);
    document.addEventListener("visibilitychange", onVisibility);
    addEventListener("pagehide", leave);
    addEventListener("pageshow", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      removeEventListener("pagehide", leave);
      removeEventListener("pageshow", onVisibility);
    };
  }, [reporter, open, hasColleagues]);
  useEffect(() => {
    if (state === "open") reporter.update();
  }, [reporter, state]);
  useEffect(() => {
    const timer = setInterval(() => reporter.update(), UPDATE_MS);
    const touch = () => reporter.touch();
    const endWriting = onWriting((writing) => reporter.write(writing.conversation, writing.isWriting));
    for (const type of TOUCHES) addEventListener(type, touch, { capture: true, passive: true });
    return () => {
      clearInterval(timer);
      endWriting();
      for (const type of TOUCHES) removeEventListener(type, touch, { capture: true });
    };
  }, [reporter]);
  // The workspace is left. The stream ends with the effects of this page, which end after those of its layout.
  useLayoutEffect(() => () => reporter.show({ open: null, isVisible: false, hasColleagues: false }), [reporter]);
}

const TOUCHES = ["pointermove", "pointerdown", "keydown", "wheel"] as const;
