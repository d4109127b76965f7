import type { Hold } from "./calls.ts";
import { clockFace, plural } from "./durations.ts";
import { type Mark, type Notice, platformName } from "./words.ts";

// What is on the page. Whatever came from the server is set as text, never as markup.

const QUESTION = "Check and send";
const LAST_CALL = 60_000;

const head = element("head", HTMLElement);
const title = element("title", HTMLElement);
const body = element("body", HTMLElement);
const mark = element("mark", SVGElement);
const message = element("message", HTMLElement);
const left = element("left", HTMLElement);
const clock = element("clock", HTMLElement);
const note = element("note", HTMLElement);
const progress = element("progress", HTMLProgressElement);
const solved = element("solved", HTMLElement);
const status = element("status", HTMLElement);
const go = element("go", HTMLButtonElement);

/** Calls `act` at each press of the page's one button while it can be pressed. */
export function onGo(act: () => void): void {
  go.addEventListener("click", () => {
    if (go.getAttribute("aria-disabled") !== "true") act();
  });
}

export function showLoading(): void {
  showHead("One moment", []);
  showMark(null);
  show({ message: false, left: false, note: false, progress: false, solved: false, go: false });
  say("");
}

/** The message and the question. `focus` where the person has pressed a button to come here. */
export function showQuestion(hold: Hold, focus: boolean): void {
  const before = "Read your message once more. Nothing is sent before you press the button.";
  showHead(QUESTION, hold.test ? ["This is a test: nobody gets the message.", before] : [before]);
  showMark(null);
  showMessage(hold);
  showButton(QUESTION);
  show({ message: true, left: true, note: true, progress: false, solved: false, go: true });
  say("");
  if (focus) title.focus();
}

export function showTimeLeft(millis: number): void {
  const face = clockFace(millis);
  if (clock.textContent === face) return;
  clock.textContent = face;
  const last = millis <= LAST_CALL;
  if (last && !left.classList.contains("last")) sayUnseen("Less than a minute left.");
  left.classList.toggle("last", last);
}

/** The button keeps the focus while the browser works, but cannot be pressed again. */
export function showChecking(): void {
  fillBody(["Keep this page open. It tells you here when the message has been sent."]);
  showButton("Checking…", true);
  show({ message: true, left: false, note: false, progress: true, solved: true, go: true });
  showProgress(0, 1);
}

/** The bar moves with every puzzle, and the number under it; what a screen reader speaks, at every quarter. */
export function showProgress(done: number, count: number): void {
  progress.max = count;
  progress.value = done;
  solved.textContent = `Checking: ${Math.floor((done * 100) / count)}%`;
  sayUnseen(`Checking: ${Math.floor((done / count) * 4) * 25}%`);
}

export function showSending(): void {
  showButton("Sending…", true);
  progress.removeAttribute("value");
  show({ solved: false });
  say("The check is done. Sending…");
}

/** An end of the way, or a halt on it. */
export function showNotice(notice: Notice, { focus = true } = {}): void {
  showHead(notice.title, notice.body);
  showMark(notice.mark);
  if (notice.again !== undefined) showButton(notice.again);
  show({ left: false, note: false, progress: false, solved: false, go: notice.again !== undefined });
  sayUnseen(focus ? "" : `${notice.title}. ${notice.body.join(" ")}`);
  if (focus) title.focus();
}

/** New words in the place of those of the notice that stands, without speaking them. */
export function rewordNotice(notice: Notice): void {
  fillBody(notice.body);
}

function say(words: string): void {
  status.classList.remove("unseen");
  if (status.textContent !== words) status.textContent = words;
}

/** For ears alone, where the eye sees it elsewhere. */
function sayUnseen(words: string): void {
  say(words);
  status.classList.add("unseen");
}

function showHead(words: string, sentences: readonly string[]): void {
  head.hidden = false;
  title.textContent = words;
  document.title = words === QUESTION ? QUESTION : `${words} · ${QUESTION}`;
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
  go.textContent = label;
  go.setAttribute("aria-disabled", String(busy));
}

const parts = { message, left, note, progress, solved, go };

function show(wanted: Partial<Record<keyof typeof parts, boolean>>): void {
  for (const [name, visible] of Object.entries(wanted)) parts[name as keyof typeof parts].hidden = !visible;
}

function element<T extends Element>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no #${id}`);
  return found;
}
