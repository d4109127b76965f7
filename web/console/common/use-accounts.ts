import { useQuery } from "@tanstack/react-query";
import { useWorkspace } from "../data/workspace.tsx";

/** When a part of a page reads a list that others show, too: TanStack Query's own options. */
interface ReadTiming {
  readonly staleTime?: number;
  readonly refetchOnMount?: boolean | "always";
}

/** The accounts of the workspace. All parts of a page that show them share one read. */
export function useAccounts(timing: ReadTiming = {}) {
  const { parley, tenant } = useWorkspace();
  return useQuery({ queryKey: ["accounts", tenant], queryFn: () => parley.accounts.list(), ...timing });
}
