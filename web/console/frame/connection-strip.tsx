import { WifiOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { timeOfDay } from "../common/times.ts";
import { useStream } from "../data/workspace.tsx";
import { texts } from "./texts.ts";

/** A connection that is lost for shorter is not worth a word. */
const LOST_AFTER_MS = 3_000;
/** The first one takes some seconds, because the service greets late. */
const FIRST_AFTER_MS = 12_000;

/** Says that the browser is offline or the live connection is lost. It goes away by itself. */
export function ConnectionStrip() {
  const stream = useStream();
  const offlineSince = useOfflineSince();
  const since = offlineSince ?? (stream.state === "open" ? null : stream.since);
  const wasOpen = useRef(false);
  if (stream.state === "open") wasOpen.current = true;
  const isFirst = offlineSince === null && !wasOpen.current && stream.state === "connecting";
  const isShown = useElapsed(since, isFirst ? FIRST_AFTER_MS : LOST_AFTER_MS);
  if (since === null || !isShown) return null;
  const words =
    stream.state === "closed"
      ? texts.streamEnded
      : offlineSince === null
        ? texts.reconnecting(timeOfDay(since))
        : texts.offline(timeOfDay(since));
  return (
    <div className="strip" role="status">
      <WifiOff size={15} aria-hidden="true" />
      <span>{words}</span>
      {stream.state === "closed" ? (
        <button type="button" className="link" onClick={() => location.reload()}>
          {texts.reload}
        </button>
      ) : null}
    </div>
  );
}

function useOfflineSince(): number | null {
  const [since, setSince] = useState<number | null>(() => (navigator.onLine ? null : Date.now()));
  useEffect(() => {
    const onOffline = () => setSince((before) => before ?? Date.now());
    const onOnline = () => setSince(null);
    addEventListener("offline", onOffline);
    addEventListener("online", onOnline);
    return () => {
      removeEventListener("offline", onOffline);
      removeEventListener("online", onOnline);
    };
  }, []);
  return since;
}

/** Whether so much time has passed since an instant of this machine. */
function useElapsed(since: number | null, ms: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    setOver(false);
    if (since === null) return;
    const timer = setTimeout(() => setOver(true), Math.max(0, since + ms - Date.now()));
    return () => clearTimeout(timer);
  }, [since, ms]);
  return isOver;
}
