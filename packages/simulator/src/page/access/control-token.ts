import { byId, setText } from "../dom.ts";

const LINK = "#token=";
const STORED = "control-token";

// The tab stores it: pages of other origins, and other tabs, do not read it.
storeLinkedToken();

/** The token that this tab was opened with, or that was entered. Null if there is none, or after it was refused. */
export function controlToken(): string | null {
  return sessionStorage.getItem(STORED);
}

/** Moves the token of a link from the address into this tab, so that no bookmark and no shared address has it. */
function storeLinkedToken(): boolean {
  if (!location.hash.startsWith(LINK)) return false;
  sessionStorage.setItem(STORED, decodeURIComponent(location.hash.slice(LINK.length)));
  history.replaceState(null, "", location.pathname);
  return true;
}

/** Asks for the token, with the reason that the simulator gave. */
export function askForToken(reason: string): void {
  sessionStorage.removeItem(STORED);
  setText(byId("token-reason"), reason);
  if (!dialog().open) dialog().showModal();
}

/** True while the page waits for the token. */
export function isTokenAwaited(): boolean {
  return dialog().open;
}

/** Connects the dialog that asks for the token, and the links that have it. */
export function connectTokenDialog(onToken: () => void): void {
  const field = byId("token") as HTMLInputElement;
  const accept = (): void => {
    field.value = "";
    dialog().close();
    onToken();
  };
  // Without the token the page shows nothing.
  dialog().addEventListener("cancel", (event) => event.preventDefault());
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(STORED, field.value.trim());
    accept();
  });
  // A link that is opened in this tab changes only the fragment, and does not load the page again.
  addEventListener("hashchange", () => {
    if (storeLinkedToken()) accept();
  });
}

const dialog = (): HTMLDialogElement => byId("token-dialog") as HTMLDialogElement;
