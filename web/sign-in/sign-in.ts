import { fillText, type SignInPageTexts } from "../../shared/base/languages/texts.ts";
import { formatDuration } from "../common/durations.ts";
import { element, showText } from "../common/elements.ts";
import { isolated } from "../common/names.ts";
import { pageLanguage, pageTexts } from "../common/page-texts.ts";
import { redirectPage, signInPage } from "../common/pages.ts";
import { type RequestProblem, requestLink } from "./request-link.ts";

// The page that requests a sign-in link. A link that no longer works redirects to it, too.

const SECOND = 1_000;
/** So long another link waits: the first may still arrive. */
const RESEND_AFTER_SECONDS = 30;

const texts = pageTexts<SignInPageTexts>();
const title = element("title", HTMLElement);
const text = element("text", HTMLElement);
const form = element("form", HTMLFormElement);
const email = element("email", HTMLInputElement);
const problem = element("problem", HTMLElement);
const button = element("send", HTMLButtonElement);
const sent = element("sent", HTMLElement);
const resend = element("resend", HTMLButtonElement);
const status = element("status", HTMLElement);

const query = new URLSearchParams(location.search);
const redirect = redirectPage(query.get("redirect"));
const invite = query.get("invite");
// The token of a link that no longer works does not stay in the tab's history.
const hasQuery = redirect !== null || invite !== null;
history.replaceState(null, "", hasQuery ? signInPage(redirect, invite) : location.pathname);

const first = { title: title.textContent, text: text.textContent, button: button.textContent };
let isBusy = false;
let stopCountdown = () => {};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isBusy) void submit();
});
email.addEventListener("input", () => showProblem({ problem: "", field: false }));
resend.addEventListener("click", () => {
  if (resend.getAttribute("aria-disabled") !== "true") void sendAgain();
});
element("other", HTMLButtonElement).addEventListener("click", showForm);

async function submit(): Promise<void> {
  setBusy(true);
  const result = await request();
  setBusy(false);
  if (result === "sent") return showSent();
  showProblem(result);
  if (result.field) email.focus();
}

function request(): ReturnType<typeof requestLink> {
  return requestLink(texts, { email: email.value.trim(), redirect, invite });
}

function setBusy(busy: boolean): void {
  isBusy = busy;
  button.setAttribute("aria-disabled", String(busy));
  button.textContent = busy ? texts.sending : first.button;
}

function showProblem(result: RequestProblem): void {
  problem.textContent = result.problem;
  email.setAttribute("aria-invalid", String(result.field));
}

function showSent(): void {
  form.hidden = true;
  sent.hidden = false;
  status.textContent = "";
  showHead(texts.sentTitle, fillText(texts.sentTo, { email: isolated(email.value.trim()) }));
  startCountdown();
}

/** Back to the address, as it was typed. */
function showForm(): void {
  stopCountdown();
  form.hidden = false;
  sent.hidden = true;
  showHead(first.title, first.text);
  email.select();
  email.focus();
}

function showHead(heading: string, sentence: string): void {
  document.title = heading;
  title.textContent = heading;
  showText(text, sentence);
  title.focus();
}

async function sendAgain(): Promise<void> {
  resend.setAttribute("aria-disabled", "true");
  const result = await request();
  status.textContent = result === "sent" ? texts.resent : result.problem;
  startCountdown();
}

/** Says how long the button waits, and then lets it be pressed. */
function startCountdown(): void {
  stopCountdown();
  const until = Date.now() + RESEND_AFTER_SECONDS * SECOND;
  const tick = () => {
    const seconds = Math.ceil((until - Date.now()) / SECOND);
    const isOver = seconds <= 0;
    resend.setAttribute("aria-disabled", String(!isOver));
    const time = formatDuration(seconds, pageLanguage());
    resend.textContent = isOver ? texts.resend : fillText(texts.resendIn, { time });
    if (isOver) stopCountdown();
  };
  const timer = setInterval(tick, SECOND);
  stopCountdown = () => clearInterval(timer);
  tick();
}
