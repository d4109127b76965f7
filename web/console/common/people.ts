import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { texts } from "../ui/texts.ts";

/** The name of a colleague by the `actor_id` of a message: "You" for oneself, null for whom the team does not list.
 * Until the team is known, every member has the name of a colleague. */
export function usePeople(): (actorId: string | null) => string | null {
  const { parley, tenant, person } = useWorkspace();
  const team = useQuery({
    queryKey: ["team", tenant],
    queryFn: () => parley.team.list(),
    staleTime: 300_000,
  });
  const members = team.data?.members;
  return useCallback(
    (actorId) => {
      if (actorId === null) return null;
      if (actorId === person.actorId) return texts.you;
      if (members === undefined && actorId.startsWith("console:")) return texts.colleague;
      const member = members?.find(({ user_id }) => `console:${user_id}` === actorId);
      return member ? printableText(member.name ?? member.email) : null;
    },
    [members, person.actorId],
  );
}
