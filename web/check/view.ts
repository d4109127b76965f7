import type { Hold } from "./calls.ts";
import { formatClock, plural } from "./durations.ts";
import { type Mark, type Notice, platformName } from "./notices.ts";

// The DOM of the page. Data from the server is set as text, never as markup.

const QUESTION = "Check and send";
const LAST_MINUTE = 60_000;

const head = element("head", HTMLElement);
const title = element("title", HTMLElement);
const body = element("body", HTMLElement);
const mark = element("mark", SVGElement);
const message = element("message", HTMLElement);
const timeLeft = element("left", HTMLElement);
const clock = element("clock", HTMLElement);
const note = element("note", HTMLElement);
const progress = element("progress", HTMLProgressElement);
const solvedText = element("solved", HTMLElement);
const status = element("status", HTMLElement);
const button = element("go", HTMLButtonElement);

/** Calls `onPress` at each press of the page's only button, unless the button is disabled. */
export function onButtonPress(onPress: () => void): void {
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") !== "true") onPress();
  });
}

export function showLoading(): void {
  showHead("Loading", []);
  showMark(null);
  show({ message: false, left: false, note: false, progress: false, solved: false, go: false });
  setStatus("");
}

/** Shows the message and the question. @param focus whether a press of the button led here */
export function showQuestion(hold: Hold, focus: boolean): void {
  const instruction = "Review your message. Nothing is sent until you press the button.";
  showHead(QUESTION, hold.test ? ["This is a test. Nobody receives the message.", instruction] : [instruction]);
  showMark(null);
  showMessage(hold);
  showButton(QUESTION);
  show({ message: true, left: true, note: true, progress: false, solved: false, go: true });
  setStatus("");
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
  fillBody(["Keep this page open until it confirms that the message was sent."]);
  showButton("Checking…", true);
  show({ message: true, left: false, note: false, progress: true, solved: true, go: true });
  showProgress(0, 1);
}

/** The bar and the number change with every puzzle. Screen readers announce every quarter. */
export function showProgress(done: number, count: number): void {
  progress.max = count;
  progress.value = done;
  solvedText.textContent = `Checking: ${Math.floor((done * 100) / count)}%`;
  setScreenReaderStatus(`Checking: ${Math.floor((done / count) * 4) * 25}%`);
}

export function showSending(): void {
  showButton("Sending…", true);
  progress.removeAttribute("value");
  show({ solved: false });
  setStatus("The check is complete. Sending…");
}

/** Shows a notice in place of the question. */
export function showNotice(notice: Notice, { focus = true } = {}): void {
  showHead(notice.title, notice.body);
  showMark(notice.mark);
  if (notice.buttonLabel !== undefined) showButton(notice.buttonLabel);
  show({ left: false, note: false, progress: false, solved: false, go: notice.buttonLabel !== undefined });
  setScreenReaderStatus(focus ? "" : `${notice.title}. ${notice.body.join(" ")}`);
  if (focus) title.focus();
}

/** Replaces the text of the current notice. Screen readers do not announce it. */
export function updateNoticeBody(notice: Notice): void {
  fillBody(notice.body);
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
  head.hidden = false;
  title.textContent = heading;
  document.title = heading === QUESTION ? QUESTION : `${heading} · ${QUESTION}`;
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

function showMessage(hold: Hold): void {
  const name = hold.displayName.trim() === "" ? "A person" : hold.displayName;
  element("name", HTMLElement).textContent = name;
  element("initial", HTMLElement).textContent = [...name.trim()][0]?.toLocaleUpperCase() ?? "";
  element("platform", HTMLElement).textContent = `on ${platformName(hold.platform)}`;
  const text = element("text", HTMLElement);
  text.textContent = hold.text;
  text.hidden = hold.text === "";
  element("attachments", HTMLElement).hidden = hold.attachments === 0;
  element("attachment-count", HTMLElement).textContent = plural(hold.attachments, "attachment");
}

function showButton(label: string, busy = false): void {
  button.textContent = label;
  button.setAttribute("aria-disabled", String(busy));
}

const parts = { message, left: timeLeft, note, progress, solved: solvedText, go: button };

function show(visibility: Partial<Record<keyof typeof parts, boolean>>): void {
  for (const [name, visible] of Object.entries(visibility)) parts[name as keyof typeof parts].hidden = !visible;
}

function element<T extends Element>(id: string, type: new () => T): T {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`The page has no #${id}.`);
  return node;
}
