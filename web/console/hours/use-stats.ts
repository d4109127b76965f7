import { useQuery } from "@tanstack/react-query";
import { useWorkspace } from "../data/workspace.tsx";

const EVERY_MS = 60_000;

/** The statistics of the last 24 hours with those of each hour. A page that is seen reads them again each minute. */
export function useStats() {
  const { parley, tenant } = useWorkspace();
  return useQuery({
    queryKey: ["stats", tenant],
    queryFn: () => parley.stats.get({ series: "hour" }),
    refetchInterval: EVERY_MS,
  });
}
