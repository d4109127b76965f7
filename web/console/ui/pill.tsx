import { Clock, Lock, UserRound } from "lucide-react";
import { type MessagingWindow, shortDuration } from "../data/window.ts";

/** What is left of the messaging window, in words. @param now the server's time in epoch milliseconds */
export function Pill({ window: { state, endsAt }, now }: { window: MessagingWindow; now: number }) {
  const Icon = state === "person" ? UserRound : state === "open" || state === "closing" ? Clock : Lock;
  return (
    <span className={`pill ${state}`}>
      <Icon size={12} strokeWidth={2.2} aria-hidden="true" />
      <span className="unseen">{meaning[state]} </span>
      {state === "closed" || state === "none" ? "Closed" : shortDuration(endsAt - now)}
    </span>
  );
}

const meaning: Readonly<Record<MessagingWindow["state"], string>> = {
  open: "Open for replies for",
  closing: "Closes in",
  person: "Only as a person, for",
  closed: "Window:",
  none: "Window:",
};
