import { useEffect, useState } from "react";
import { useKeys } from "../common/keys.tsx";
import { useThread, useWorkspace } from "../data/workspace.tsx";
import { ConversationList } from "./list/conversation-list.tsx";
import { texts } from "./list/texts.ts";
import { PersonPane } from "./person/person-pane.tsx";
import { NoThread, Thread } from "./thread/thread.tsx";
import { useDone } from "./thread/use-done.ts";
import { usePageFocus } from "./use-page-focus.ts";
import "./inbox.css";

const WIDE = "(min-width: 1240px)";

/** The inbox: the list, the open conversation and its person. @param openId the id of the open conversation, or null */
export function InboxPage({ openId }: { openId: string | null }) {
  const { tenant } = useWorkspace();
  usePageFocus(openId);
  const { undoLast } = useDone();
  useKeys([{ key: "z", run: undoLast, label: "Undo Done", group: "Conversation" }]);
  const isWide = useMedia(WIDE);
  const [isPaneShown, setPaneShown] = useState(true);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const isMissing = useThread(openId ?? "")?.status === "missing";
  const isPersonOpen = !isMissing && (isWide ? isPaneShown : isSheetOpen);
  const toggle = () => (isWide ? setPaneShown((shown) => !shown) : setSheetOpen((open) => !open));
  const classes = [
    "inbox",
    openId === null ? "at-list" : "at-thread",
    isWide && isPersonOpen && openId !== null ? "with-person" : "",
  ];
  return (
    <main className={classes.filter(Boolean).join(" ")} key={tenant}>
      {/* On a phone the list with its heading is not there beside a thread. */}
      {openId === null ? null : <h1 className="unseen instead-of-list">{texts.title}</h1>}
      <ConversationList openId={openId} />
      {openId === null ? (
        <NoThread />
      ) : (
        <Thread key={`thread ${openId}`} id={openId} isPersonOpen={isPersonOpen} onPerson={toggle} />
      )}
      {openId !== null && isPersonOpen ? (
        <PersonPane key={`person ${openId}`} id={openId} isSheet={!isWide} onClose={toggle} />
      ) : null}
    </main>
  );
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setMatches(media.matches);
    update();
    media.addEventListener("change", update);
    return () => media.removeEventListener("change", update);
  }, [query]);
  return matches;
}
