import { useEffect, useRef } from "react";
import { preferences } from "../common/preferences.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { useNeedsReplyCount } from "../inbox/list/use-list.ts";
import { pageTitle } from "./page-title.ts";
import { texts } from "./texts.ts";

/** Shows the count in the title, and gives the signs for new messages that the person wants. */
export function useAlerts(page: string): void {
  const { inbox, tenant } = useWorkspace();
  const count = useNeedsReplyCount();
  useEffect(() => {
    document.title = pageTitle(count, page);
  }, [count, page]);
  const seen = useRef(new Set<string>());
  useEffect(
    () =>
      inbox.onEvent((event) => {
        if (event.type !== "message.received" || event.tenant_id !== tenant || seen.current.has(event.id)) return;
        seen.current.add(event.id);
        const { sound, notifications } = preferences();
        if (sound) playTone();
        if (notifications && document.visibilityState === "hidden") notify();
      }),
    [inbox, tenant],
  );
}

/** Asks the browser's permission. Must follow a press. @returns whether notifications may be shown */
export async function askForNotifications(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}

/** The text names no person: a notification may be read by others. */
function notify(): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const notification = new Notification(texts.name, { body: texts.newMessage, tag: "parley-message" });
  notification.addEventListener("click", () => {
    window.focus();
    notification.close();
  });
}

let audio: AudioContext | undefined;
let lastToneAt = Number.NEGATIVE_INFINITY;

/** A short tone, at most one in two seconds. */
function playTone(): void {
  const now = performance.now();
  if (now - lastToneAt < 2_000) return;
  lastToneAt = now;
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  const start = audio.currentTime;
  tone.frequency.setValueAtTime(660, start);
  tone.frequency.setValueAtTime(880, start + 0.09);
  volume.gain.setValueAtTime(0.08, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.28);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + 0.3);
}
