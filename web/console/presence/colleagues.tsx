import { Eye } from "lucide-react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useTeam } from "../common/people.ts";
import type { Presence } from "../data/live-inbox.ts";
import { useInbox } from "../data/workspace.tsx";
import { Face } from "../ui/avatar.tsx";
import { presenceWords } from "./words.ts";

const none: readonly Presence[] = [];

/** What colleagues do with a conversation now: who writes first. */
export function useColleagues(conversation: string): readonly Presence[] {
  return useInbox(({ presence }) => presence.get(conversation) ?? none);
}

/** Null for a colleague whom the team does not list yet: they joined it a moment ago. */
function useNames(): (userId: string) => string | null {
  const members = useTeam(true);
  return (userId) => {
    const member = members?.find((each) => each.user_id === userId);
    return member ? printableText(member.name ?? member.email) : null;
  };
}

/** Who else is in the open conversation: faces, and what they do in words. */
export function HeadColleagues({ colleagues }: { colleagues: readonly Presence[] }) {
  const nameOf = useNames();
  return (
    <span className="peers">
      {colleagues.slice(0, 3).map(({ userId }) => (
        <Face key={userId} name={nameOf(userId) ?? "?"} id={userId} size={24} />
      ))}
      <Words colleagues={colleagues} />
    </span>
  );
}

/** The same in words. */
export function Words({ colleagues }: { colleagues: readonly Presence[] }) {
  const nameOf = useNames();
  const isWriting = colleagues[0]?.state === "writing";
  return <span className={isWriting ? "words typing" : "words"}>{presenceWords(colleagues, nameOf)}</span>;
}

/** Marks a conversation in the list that a colleague reads. */
export function ReadingMark({ colleagues }: { colleagues: readonly Presence[] }) {
  const words = presenceWords(colleagues, useNames());
  return (
    <span className="reading" title={words}>
      <Eye size={14} role="img" aria-label={words} />
    </span>
  );
}
