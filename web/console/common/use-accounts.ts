import { useQuery } from "@tanstack/react-query";
import { useWorkspace } from "../data/workspace.tsx";

/** The accounts of the workspace. All parts of a page that show them share one read. */
export function useAccounts() {
  const { parley, tenant } = useWorkspace();
  return useQuery({ queryKey: ["accounts", tenant], queryFn: () => parley.accounts.list() });
}
