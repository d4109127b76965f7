import { element, showText } from "../common/elements.ts";
import { CONSOLE, SIGN_IN_PAGE } from "../common/pages.ts";
import { endSessions, readSession, type Session } from "../common/session.ts";
import { showInvites } from "./invites.ts";

// The invites of the signed-in person. Without any, the page redirects to the console.

const text = element("text", HTMLElement);
const problem = element("problem", HTMLElement);
const button = element("sign-out", HTMLButtonElement);

void showSession();

async function showSession(): Promise<void> {
  const session = await readSession();
  if (session === "none") return location.replace(SIGN_IN_PAGE);
  if (session === null) return;
  if (session.invites.length === 0) return location.replace(CONSOLE);
  showText(text, `Your email address is ${session.email}. You can close this page. The session lasts 12 hours.`);
  showInvites(session);
  let isBusy = false;
  button.addEventListener("click", () => {
    if (isBusy) return;
    isBusy = true;
    void signOut(session).finally(() => {
      isBusy = false;
    });
  });
  button.hidden = false;
}

async function signOut(session: Session): Promise<void> {
  problem.textContent = "";
  button.setAttribute("aria-disabled", "true");
  if (await endSessions(session)) return location.replace(SIGN_IN_PAGE);
  button.setAttribute("aria-disabled", "false");
  problem.textContent = "Parley could not sign you out. Try again.";
}
