import type { ReactNode } from "react";
import type { MessagingWindow } from "../data/window.ts";
import "./ring.css";

const RADIUS = 21;

/** The picture of a person, in a ring that shows what is left of the messaging window. The pill beside it says it in words. */
export function Ring({ window: { state, left }, children }: { window: MessagingWindow; children: ReactNode }) {
  return (
    <span className={`ring ${state}`}>
      <svg viewBox="0 0 46 46" aria-hidden="true">
        <circle className="base" cx="23" cy="23" r={RADIUS} />
        <circle className="left" cx="23" cy="23" r={RADIUS} pathLength="100" strokeDasharray={dashes(state, left)} />
      </svg>
      {children}
    </span>
  );
}

function dashes(state: MessagingWindow["state"], left: number): string {
  if (state === "open" || state === "closing") return `${Math.max(2, Math.round(left * 100))} 100`;
  return state === "person" ? "1.7 2.3" : "0 100";
}
