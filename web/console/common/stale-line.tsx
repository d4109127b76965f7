import { texts } from "../ui/texts.ts";
import { problemLine } from "./problems.ts";
import "./stale-line.css";

/** Says that what is shown may be old, because its last read failed. @param what a sentence of what may be missing */
export function StaleLine({ what, error, onAgain }: { what: string; error: unknown; onAgain: () => void }) {
  return (
    <p className="stale-line" role="alert">
      {what} {problemLine(error)}{" "}
      <button type="button" className="link" onClick={onAgain}>
        {texts.again}
      </button>
    </p>
  );
}
