import { useEffect, useState } from "react";
import { useStream } from "../data/workspace.tsx";
import { mainScript } from "./build-version.ts";
import { texts } from "./texts.ts";

const CHECK_EVERY_MS = 10 * 60_000;

/** Offers to reload when the page that the server has is newer than this one. It never reloads by itself. */
export function OutdatedStrip() {
  const { state } = useStream();
  const [isOutdated, setOutdated] = useState(false);
  useEffect(() => {
    if (isOutdated || state !== "open") return;
    let checkedAt = 0;
    const check = async () => {
      if (document.visibilityState !== "visible" || Date.now() - checkedAt < CHECK_EVERY_MS) return;
      checkedAt = Date.now();
      const response = await fetch("/app", { cache: "no-cache", headers: { accept: "text/html" } }).catch(() => null);
      const newest = response?.ok ? mainScript(await response.text()) : null;
      const loaded = mainScript(document.documentElement.outerHTML);
      if (newest !== null && loaded !== null && newest !== loaded) setOutdated(true);
    };
    void check();
    const timer = setInterval(() => void check(), CHECK_EVERY_MS);
    addEventListener("focus", check);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", check);
    };
  }, [isOutdated, state]);
  if (!isOutdated) return null;
  return (
    <div className="strip" role="status">
      <span>{texts.outdated}</span>
      <button type="button" className="link" onClick={() => location.reload()}>
        {texts.reload}
      </button>
    </div>
  );
}
