import { useWaiting, useWaitingEvents } from "./use-waiting.ts";

const COUNTED_MAX = 99;

/** How much waits for this person, in the rail. */
export function WaitingCount() {
  useWaitingEvents();
  const { length } = useWaiting({ isPage: false }).entries;
  if (length === 0) return null;
  return <span className="count">{length > COUNTED_MAX ? `${COUNTED_MAX}+` : length}</span>;
}
