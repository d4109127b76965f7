import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Member } from "#client";
import { useWorkspace } from "../data/workspace.tsx";
import { actorName } from "./actor-names.ts";

/** The members of the workspace; undefined while they are not known. @param isEnabled whether they are fetched for this */
export function useTeam(isEnabled: boolean): readonly Member[] | undefined {
  const { parley, tenant } = useWorkspace();
  const team = useQuery({
    queryKey: ["team", tenant],
    queryFn: () => parley.team.list(),
    staleTime: 300_000,
    enabled: isEnabled,
  });
  return team.data?.members;
}

/** The names of colleagues by the `actor_id` of a message: "You" for oneself, null for a program. */
export function usePeople(): (actorId: string | null) => string | null {
  const { person } = useWorkspace();
  const members = useTeam(true);
  return useCallback((actorId) => actorName(actorId, members, person.actorId), [members, person.actorId]);
}
