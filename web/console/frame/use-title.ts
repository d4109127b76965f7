import { useEffect } from "react";
import { useNeedsReplyCount } from "../inbox/list/use-list.ts";
import { pageTitle } from "./page-title.ts";

/** Shows the count of those who need a reply in the title. */
export function useTitle(page: string): void {
  const count = useNeedsReplyCount();
  useEffect(() => {
    document.title = pageTitle(count, page);
  }, [count, page]);
}
