import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { preferences } from "../common/preferences.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { useNeedsReplyCount } from "../inbox/list/use-list.ts";
import { inboxPath } from "../paths.ts";
import { isDialogRequired } from "../ui/required-dialog.ts";
import { pageTitle } from "./page-title.ts";
import { texts } from "./texts.ts";

/** Shows the count in the title, and gives the signs for new messages that the person wants. */
export function useAlerts(page: string): void {
  const { inbox, tenant } = useWorkspace();
  const [, navigate] = useLocation();
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
        if (notifications && document.visibilityState === "hidden") {
          const { conversation_id } = event.data.message;
          notify(() => navigate(inboxPath(tenant, conversation_id)));
        }
      }),
    [inbox, tenant, navigate],
  );
}

/** Asks the browser's permission. Must follow a press. @returns whether notifications may be shown */
export async function askForNotifications(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}

/** Each message shows again, in the place of the one before. The text names no person: others may read a notification. */
function notify(onPress: () => void): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const options = { body: texts.newMessage, tag: "parley-message", renotify: true };
  const notification = new Notification(texts.name, options);
  notification.addEventListener("click", () => {
    window.focus();
    if (!isDialogRequired()) onPress();
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
  // A browser suspends the sound of a page in which nothing was pressed yet.
  if (audio.state === "suspended") void audio.resume();
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
