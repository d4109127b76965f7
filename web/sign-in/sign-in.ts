import { element } from "../common/elements.ts";
import { redirectPage, signInPage } from "../common/pages.ts";
import { type RequestProblem, requestLink } from "./request-link.ts";

// The page that requests a sign-in link. A link that no longer works redirects to it, too.

const SENT =
  "If this address may sign in, a link is on its way to it. The link works once, for 15 minutes, and at once in this browser. You can close this page.";

const title = element("title", HTMLElement);
const text = element("text", HTMLElement);
const form = element("form", HTMLFormElement);
const email = element("email", HTMLInputElement);
const problem = element("problem", HTMLElement);
const button = element("send", HTMLButtonElement);

const query = new URLSearchParams(location.search);
const redirect = redirectPage(query.get("redirect"));
const invite = query.get("invite");
// The token of a link that no longer works does not stay in the tab's history.
const hasQuery = redirect !== null || invite !== null;
history.replaceState(null, "", hasQuery ? signInPage(redirect, invite) : location.pathname);

const buttonText = button.textContent;
let isBusy = false;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isBusy) void submit();
});
email.addEventListener("input", () => showProblem({ problem: "", field: false }));

async function submit(): Promise<void> {
  setBusy(true);
  const result = await requestLink(email.value.trim(), redirect, invite);
  setBusy(false);
  if (result === "sent") return showSent();
  showProblem(result);
  if (result.field) email.focus();
}

function setBusy(busy: boolean): void {
  isBusy = busy;
  button.setAttribute("aria-disabled", String(busy));
  button.textContent = busy ? "Sending" : buttonText;
}

function showProblem(result: RequestProblem): void {
  problem.textContent = result.problem;
  email.setAttribute("aria-invalid", String(result.field));
}

function showSent(): void {
  form.hidden = true;
  document.title = "Check your mail";
  title.textContent = "Check your mail";
  text.textContent = SENT;
  title.focus();
}
