const LINK = "#token=";
const STORED = "control-token";

/** The token that this tab was opened with, or that was entered. Null if there is none, or after it was refused. */
export function controlToken(): string | null {
  return sessionStorage.getItem(STORED);
}

export function storeToken(token: string): void {
  sessionStorage.setItem(STORED, token);
}

export function dropToken(): void {
  sessionStorage.removeItem(STORED);
}

/** Moves the token of a link from the address into this tab, so that no bookmark has it. False without one. */
export function readLinkedToken(): boolean {
  if (!location.hash.startsWith(LINK)) return false;
  storeToken(decodeURIComponent(location.hash.slice(LINK.length)));
  history.replaceState(null, "", location.pathname);
  return true;
}
