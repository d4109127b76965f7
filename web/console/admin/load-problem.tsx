import { problemLine } from "../common/problems.ts";
import { texts } from "./texts.ts";

/** What stands in the place of something that could not be loaded, with a way on. */
export function LoadProblem({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  return (
    <div className="load-problem" role="alert">
      <p>{problemLine(error)}</p>
      <button type="button" className="btn" onClick={onAgain}>
        {texts.again}
      </button>
    </div>
  );
}

export function Loading() {
  return (
    <p className="soft" role="status">
      {texts.loading}
    </p>
  );
}
