import { useQuery } from "@tanstack/react-query";
import { may } from "../common/rights.ts";
import { useWorkspace } from "../data/workspace.tsx";

/** The endpoints of the workspace, for those who may read them. */
export function useEndpoints() {
  const { parley, tenant, person } = useWorkspace();
  const isRead = may(person.role, "GET /v1/webhooks");
  const query = useQuery({
    queryKey: ["webhooks", tenant],
    queryFn: () => parley.webhooks.list(),
    enabled: isRead,
  });
  return { isRead, data: query.data, error: query.error, isPending: isRead && query.isPending, refetch: query.refetch };
}
