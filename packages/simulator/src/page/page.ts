import { connectTokenDialog, isTokenAwaited } from "./access/control-token.ts";
import { connectBench, drawBench } from "./bench/bench-dialog.ts";
import { connectComposer, drawComposer, startMode } from "./composer.ts";
import { connectConnectionDialog, drawConnection } from "./connection-dialog.ts";
import { closeInspector, connectInspector, openMessage, openWebhook, selectedMid } from "./inspector/inspector.ts";
import { connectResendDialog } from "./inspector/resend-dialog.ts";
import type { MessageHandlers } from "./message-actions.ts";
import { notifyProblem } from "./notices.ts";
import { connectPersonDialog, drawPeople } from "./people-list.ts";
import { act, connectAddress, currentScene, onScene, onScreen, refresh, target } from "./store.ts";
import { connectThread, drawThread, scrollToEnd } from "./thread.ts";
import { connectThreadHead, drawThreadHead } from "./thread-head.ts";
import { connectToolbar, drawClock, drawToolbar, setStatus } from "./toolbar.ts";

const refreshMs = 1_000;

/** Performs an action on a message as the selected person, or as the account. */
function change(fields: Record<string, unknown>): void {
  const scene = currentScene();
  if (scene !== null) act("/person-sends", { ...target(scene), ...fields }).catch(notifyProblem);
}

const handlers: MessageHandlers = {
  details: openMessage,
  reply: (message) => startMode({ kind: "reply", message }),
  edit: (message) => startMode({ kind: "edit", message }),
  unsend: ({ mid, from }) => change({ kind: "unsend", mid, by_account: from === "account" }),
  react: ({ mid }, emoji) => change({ kind: "reaction", mid, emoji }),
};

let shownPerson = "";
onScene((scene) => {
  const key = `${scene.account?.key}/${scene.person?.id}`;
  if (key !== shownPerson && shownPerson !== "") closeInspector();
  shownPerson = key;
  drawPeople(scene);
  drawThreadHead(scene);
  drawThread(scene, selectedMid(), handlers);
  drawComposer(scene);
  drawToolbar(scene);
  drawConnection(scene);
  drawBench(scene);
});
onScreen((screen) => {
  if (screen === "thread") scrollToEnd();
});
connectToolbar();
connectThreadHead();
connectThread();
connectComposer(openWebhook);
connectInspector();
connectPersonDialog();
connectConnectionDialog();
connectBench();
connectResendDialog();
connectAddress();
connectTokenDialog(() => void refresh().catch(() => {}));

async function poll(): Promise<void> {
  try {
    if (!isTokenAwaited()) await refresh();
    drawClock();
  } catch {
    setStatus(isTokenAwaited() ? "Control token required" : "No response from the simulator", "warn");
  }
  setTimeout(() => void poll(), refreshMs);
}
void poll();
