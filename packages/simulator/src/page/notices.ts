import type { ActionAnswer } from "./api.ts";
import { button, byId, element } from "./dom.ts";

const shownMs = 8_000;
let timer = 0;

/** Says a text to screen readers. */
export function speak(text: string): void {
  const line = element("p", {}, text);
  byId("speaker").replaceChildren(line);
}

/** Shows a short message, with an optional action, for some seconds or until the next one. */
export function notify(text: string, action?: { label: string; run(): void }, isProblem = false): void {
  const notice = byId("notice");
  clearTimeout(timer);
  const run = (): void => {
    notice.hidden = true;
    action?.run();
  };
  notice.replaceChildren(
    element("p", {}, text),
    action ? button({ class: "link" }, run, action.label) : "",
    button({ class: "link", "aria-label": "Close the message" }, () => closeNotice(), "Close"),
  );
  notice.classList.toggle("problem", isProblem);
  notice.hidden = false;
  speak(text);
  // A problem stays until it is closed.
  if (!isProblem) timer = window.setTimeout(closeNotice, shownMs);
}

function closeNotice(): void {
  const notice = byId("notice");
  if (notice.contains(document.activeElement)) byId("text").focus();
  notice.hidden = true;
}

export function notifyProblem(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), undefined, true);
}

const outcomes: Record<string, string> = {
  delivered: "accepted by the app",
  waiting: "not accepted by the app yet",
  not_subscribed: "not sent, because the app is not subscribed",
};

/** The outcome of an event that has no message in the thread. */
export function outcomeText(name: string, { status_of_webhook: status }: ActionAnswer): string {
  return `${name}: ${outcomes[status] ?? status}`;
}
