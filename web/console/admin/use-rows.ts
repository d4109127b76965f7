import { useInfiniteQuery } from "@tanstack/react-query";
import { type ListPage, loadRows } from "./pages.ts";

/**
 * A list that is read page by page. It is read again when it is asked for, not when the window comes to the front: that would
 * be every page again. A list that is opened again begins with a new first page, because what it had before may be old.
 * @param key names the list and its filters
 */
export function useRows<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined) => Promise<ListPage<Row>>,
  isEnabled = true,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    enabled: isEnabled,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => loadRows(load, pageParam),
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return { ...query, rows: query.data?.pages.flatMap(({ rows }) => rows) ?? [] };
}
