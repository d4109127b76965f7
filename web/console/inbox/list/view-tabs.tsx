import type { View } from "../../data/inbox-lists.ts";
import { texts } from "./texts.ts";

interface ViewTabsProps {
  readonly view: View;
  /** How many wait for a reply. */
  readonly needsReply: string;
  readonly onChange: (view: View) => void;
}

/** Chooses the list: who needs a reply, or all. */
export function ViewTabs({ view, needsReply, onChange }: ViewTabsProps) {
  return (
    <div className="tabs">
      {(["needs-reply", "all"] as const).map((name) => (
        <button type="button" key={name} aria-pressed={view === name} onClick={() => onChange(name)}>
          {texts.views[name]}{" "}
          {name === "needs-reply" && needsReply !== "0" ? <span className="num">{needsReply}</span> : null}
        </button>
      ))}
    </div>
  );
}
