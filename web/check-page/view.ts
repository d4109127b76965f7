import { fillText } from "../../shared/base/languages/texts.ts";
import { element, showText } from "../common/elements.ts";
import type { Hold } from "./calls.ts";
import { formatClock, secondsRemaining } from "./durations.ts";
import { showMessage } from "./message-view.ts";
import type { Mark, Notice } from "./notices.ts";
import { texts } from "./texts.ts";

// The DOM of the page around the message. Data from the server is set as text, never as markup.

const LAST_MINUTE = 60_000;

const title = element("title", HTMLElement);
const body = element("body", HTMLElement);
const quote = element("quote", HTMLElement);
const mark = element("mark", SVGElement);
const test = element("test", HTMLElement);
const frame = element("frame", HTMLElement);
const slow = element("slow", HTMLElement);
const message = element("message", HTMLElement);
const timeLeft = element("left", HTMLElement);
const clock = element("clock", HTMLElement);
const note = element("note", HTMLElement);
const progress = element("progress", HTMLProgressElement);
const solvedText = element("solved", HTMLElement);
const status = element("status", HTMLElement);
const button = element("go", HTMLButtonElement);

const parts = { test, frame, slow, message, left: timeLeft, note, progress, solved: solvedText, go: button };

/** Calls `onPress` at each press of the page's only button, unless the button is disabled. */
export function onButtonPress(onPress: () => void): void {
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") onPress();
  });
}

/** After a press: what the page shows stays until there is an answer. Before the first answer, the page is its frame. */
export function showRefreshing(): void {
  showButton(texts.loading, true);
}

/** Shows the message and the question. @param focus whether a press of the button was the cause */
export function showQuestion(hold: Hold, focus: boolean): void {
  showHead(texts.question, [texts.untilPress]);
  showMark(null);
  showMessage(hold);
  showButton(texts.question);
  show({ test: hold.test, frame: false, slow: false, message: true });
  show({ left: true, note: true, progress: false, solved: false, go: true });
  setScreenReaderStatus(focus ? "" : texts.ready);
  if (focus) title.focus();
}

export function showTimeLeft(millis: number): void {
  const clockText = formatClock(millis);
  if (clock.textContent === clockText) return;
  clock.textContent = clockText;
  const isLastMinute = millis <= LAST_MINUTE;
  if (isLastMinute && !timeLeft.classList.contains("last")) setScreenReaderStatus(texts.lastMinute);
  timeLeft.classList.toggle("last", isLastMinute);
}

/** The button keeps the focus while the browser works, but is disabled. */
export function showChecking(): void {
  fillBody([texts.keepOpen]);
  showButton(texts.checking, true);
  show({ left: false, note: false, progress: true, solved: true, go: true });
  showProgress(0, 1, 0);
}

/**
 * The bar and the number change with every puzzle. Screen readers announce every quarter.
 * @param elapsed milliseconds since the first puzzle was started
 */
export function showProgress(done: number, count: number, elapsed: number): void {
  progress.max = count;
  progress.value = done;
  const seconds = secondsRemaining(elapsed, done, count);
  const percent = Math.floor((done * 100) / count);
  solvedText.textContent =
    seconds === null ? fillText(texts.progress, { percent }) : fillText(texts.progressLeft, { percent, seconds });
  setScreenReaderStatus(fillText(texts.progress, { percent: Math.floor((done / count) * 4) * 25 }));
}

export function showSending(): void {
  showButton(texts.sendingButton, true);
  progress.removeAttribute("value");
  show({ solved: false });
  setStatus(texts.checkComplete);
}

/** Shows a notice in place of the question. A message that the page has stays in view. */
export function showNotice(notice: Notice, { focus = true } = {}): void {
  showHead(notice.title, notice.body);
  quote.hidden = notice.quote === undefined;
  showText(element("quote-source", HTMLElement), fillText(texts.says, { platform: notice.quote?.source ?? "" }));
  showText(element("quote-text", HTMLElement), notice.quote?.text ?? "");
  showMark(notice.mark);
  if (notice.buttonLabel !== undefined) showButton(notice.buttonLabel);
  show({ test: false, frame: false, slow: false, left: false, note: false, progress: false, solved: false });
  show({ go: notice.buttonLabel !== undefined });
  setScreenReaderStatus(focus ? "" : `${notice.title}. ${notice.body.join(" ")}`);
  if (focus) title.focus();
}

/** Replaces the text of the current notice. Screen readers do not announce it. */
export function updateNoticeBody(notice: Notice): void {
  fillBody(notice.body);
}

/** Offers to copy the message, for one that was not sent. */
export function showCopyButton(): void {
  showButton(texts.copyText);
  button.classList.add("second");
  show({ go: true });
}

/** @param copied false when the browser did not allow it: then the text is selected */
export function showCopied(copied: boolean): void {
  button.textContent = copied ? texts.copied : texts.copyText;
  if (copied) setScreenReaderStatus(texts.copiedStatus);
  else setStatus(texts.notCopied);
}

function setStatus(text: string): void {
  status.classList.remove("unseen");
  if (status.textContent !== text) status.textContent = text;
}

/** Sets a status for screen readers only: the page shows the same elsewhere. */
function setScreenReaderStatus(text: string): void {
  setStatus(text);
  status.classList.add("unseen");
}

function showHead(heading: string, sentences: readonly string[]): void {
  title.textContent = heading;
  document.title = heading === texts.question ? heading : `${heading} · ${texts.question}`;
  quote.hidden = true;
  fillBody(sentences);
}

function fillBody(sentences: readonly string[]): void {
  body.replaceChildren(
    ...sentences.map((sentence) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = sentence;
      return paragraph;
    }),
  );
}

function showMark(kind: Mark | null): void {
  mark.toggleAttribute("hidden", kind === null);
  mark.setAttribute("class", `mark ${kind ?? ""}`);
}

function showButton(label: string, busy = false): void {
  button.textContent = label;
  button.classList.remove("second");
  button.setAttribute("aria-disabled", String(busy));
}

function show(visibility: Partial<Record<keyof typeof parts, boolean>>): void {
  for (const [name, visible] of Object.entries(visibility)) parts[name as keyof typeof parts].hidden = !visible;
}
