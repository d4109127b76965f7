import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useWorkspace } from "../data/workspace.tsx";
import { actorName } from "./actor-names.ts";

/** The names of colleagues by the `actor_id` of a message: "You" for oneself, null for a program. */
export function usePeople(): (actorId: string | null) => string | null {
  const { parley, tenant, person } = useWorkspace();
  const team = useQuery({
    queryKey: ["team", tenant],
    queryFn: () => parley.team.list(),
    staleTime: 300_000,
  });
  const members = team.data?.members;
  return useCallback((actorId) => actorName(actorId, members, person.actorId), [members, person.actorId]);
}
