import { problemLine } from "../common/problems.ts";
import { texts } from "./texts.ts";

interface MoreRowsProps {
  readonly query: {
    readonly rows: readonly unknown[];
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    readonly fetchNextPage: () => unknown;
  };
}

/** The end of a list of pages: what is next, or why it could not be read. */
export function MoreRows({ query }: MoreRowsProps) {
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
