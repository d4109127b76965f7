import { useQuery } from "@tanstack/react-query";
import { printableText } from "../../../packages/client/src/printable.ts";
import { usePeople } from "../common/people.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { actorWords } from "./actors.ts";

/** Who the actors of entries are: people by their names, keys by theirs. Also those that a filter can offer. */
export function useActors() {
  const { parley, tenant } = useWorkspace();
  const personName = usePeople();
  const keys = useQuery({ queryKey: ["keys", tenant], queryFn: () => parley.keys.list() });
  const team = useQuery({ queryKey: ["team", tenant], queryFn: () => parley.team.list(), staleTime: 300_000 });
  const labels = new Map(keys.data?.keys.map(({ id, label }) => [id, printableText(label)]));
  const nameOf = (actor: string): string => actorWords(actor, personName, labels);
  const actors = [
    ...(team.data?.members.map(({ user_id }) => `console:${user_id}`) ?? []),
    ...(keys.data?.keys.map(({ id }) => `key:${id}`) ?? []),
    "system",
    "cli",
  ];
  return { nameOf, actors };
}
