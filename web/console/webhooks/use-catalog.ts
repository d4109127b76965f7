import { useQuery } from "@tanstack/react-query";
import { useWorkspace } from "../data/workspace.tsx";

/** The event types of the API with their descriptions and examples. They change with a release only. */
export function useCatalog() {
  const { parley } = useWorkspace();
  return useQuery({
    queryKey: ["event-types"],
    queryFn: () => parley.request("GET /v1/event-types", {}),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
