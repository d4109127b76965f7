import { element, showText } from "../common/elements.ts";
import type { Hold } from "./calls.ts";
import { formatClock, formatRemaining } from "./durations.ts";
import { showMessage } from "./message-view.ts";
import type { Mark, Notice } from "./notices.ts";

// The DOM of the page around the message. Data from the server is set as text, never as markup.

const QUESTION = "Check and send";
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
  showButton("Loading…", true);
}

/** Shows the message and the question. @param focus whether a press of the button was the cause */
export function showQuestion(hold: Hold, focus: boolean): void {
  showHead(QUESTION, ["Nothing is sent until you press the button."]);
  showMark(null);
  showMessage(hold);
  showButton(QUESTION);
  show({ test: hold.test, frame: false, slow: false, message: true });
  show({ left: true, note: true, progress: false, solved: false, go: true });
  setScreenReaderStatus(focus ? "" : "Your message is ready to review.");
  if (focus) title.focus();
}

export function showTimeLeft(millis: number): void {
  const clockText = formatClock(millis);
  if (clock.textContent === clockText) return;
  clock.textContent = clockText;
  const isLastMinute = millis <= LAST_MINUTE;
  if (isLastMinute && !timeLeft.classList.contains("last")) setScreenReaderStatus("Less than a minute left.");
  timeLeft.classList.toggle("last", isLastMinute);
}

/** The button keeps the focus while the browser works, but is disabled. */
export function showChecking(): void {
  fillBody(["Keep this page open until the message is sent."]);
  showButton("Checking…", true);
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
  const remaining = formatRemaining(elapsed, done, count);
  const percent = `Checking: ${Math.floor((done * 100) / count)}%`;
  solvedText.textContent = remaining === "" ? percent : `${percent}, ${remaining}`;
  setScreenReaderStatus(`Checking: ${Math.floor((done / count) * 4) * 25}%`);
}

export function showSending(): void {
  showButton("Sending…", true);
  progress.removeAttribute("value");
  show({ solved: false });
  setStatus("The check is complete. Sending…");
}

/** Shows a notice in place of the question. A message that the page has stays in view. */
export function showNotice(notice: Notice, { focus = true } = {}): void {
  showHead(notice.title, notice.body);
  quote.hidden = notice.quote === undefined;
  showText(element("quote-source", HTMLElement), `${notice.quote?.source ?? ""} says:`);
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

const COPY_LABEL = "Copy the text";

/** Offers to copy the message, for one that was not sent. */
export function showCopyButton(): void {
  showButton(COPY_LABEL);
  button.classList.add("second");
  show({ go: true });
}

/** @param copied false when the browser did not allow it: then the text is selected */
export function showCopied(copied: boolean): void {
  button.textContent = copied ? "Copied" : COPY_LABEL;
  if (copied) setScreenReaderStatus("The text is copied.");
  else setStatus("Your browser did not copy the text. It is selected now, so you can copy it yourself.");
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
  document.title = heading === QUESTION ? QUESTION : `${heading} · ${QUESTION}`;
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
