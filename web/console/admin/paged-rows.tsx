import type { ReactNode } from "react";
import { problemLine } from "../common/problems.ts";
import { StaleLine } from "../common/stale-line.tsx";
import { Loading, LoadProblem } from "./load-problem.tsx";
import { texts } from "./texts.ts";
import type { useRows } from "./use-rows.ts";

type Query = ReturnType<typeof useRows>;

interface PagedRowsProps {
  readonly query: Query;
  /** The words when there is no row. */
  readonly none: string;
  /** The rows that were read. Shown unless there is none. */
  readonly children: ReactNode;
}

/** A list that is read page by page, with what there is to say while it is read, after it failed, and at its end. */
export function PagedRows({ query, none, children }: PagedRowsProps) {
  const { rows, isPending, error, isRefetchError, hasNextPage } = query;
  const again = () => void query.refetch();
  const isEmpty = rows.length === 0;
  return (
    <>
      {isPending ? <Loading /> : null}
      {error && isEmpty ? <LoadProblem error={error} onAgain={again} /> : null}
      {isRefetchError && !isEmpty ? <StaleLine what={texts.mayBeOld} error={error} onAgain={again} /> : null}
      {query.data && isEmpty && !hasNextPage ? <p className="blank-page">{none}</p> : null}
      {isEmpty ? null : children}
      <MoreRows query={query} />
    </>
  );
}

/** The end of the list: what is next, or why it could not be read. */
function MoreRows({ query }: { query: Query }) {
  const { rows, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return (
    <div className="more-rows">
      {rows.length === 0 ? <p role="status">{texts.noneYet}</p> : null}
      {isFetchNextPageError ? (
        <p className="problem" role="alert">
          {problemLine(error)}
        </p>
      ) : null}
      <button
        type="button"
        className="btn"
        aria-disabled={isFetchingNextPage}
        onClick={() => (isFetchingNextPage ? undefined : void fetchNextPage())}
      >
        {rows.length === 0 ? texts.searchOn : texts.more}
      </button>
    </div>
  );
}
