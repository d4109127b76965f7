import type { Link } from "./calls.ts";

const HOLD_ID = /^hold_[0-9A-Z]{26}$/;

/**
 * Reads the link from the page's URL and removes the secret at once, so that it stays out of the address bar, the history
 * and copied links. From here on the secret is only in the memory of the page.
 */
export function readLink(): Link | "incomplete" | "not_valid" {
  const holdId = new URLSearchParams(location.search).get("hold") ?? "";
  const secret = secretFromHash();
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  if (secret === "") return "incomplete";
  return HOLD_ID.test(holdId) ? { holdId, secret } : "not_valid";
}

/** Reloads when a link is opened again in this tab: the browser itself loads nothing when only the fragment changes. */
export function reloadOnNewLink(): void {
  addEventListener("hashchange", () => {
    if (secretFromHash() !== "") location.reload();
  });
}

function secretFromHash(): string {
  return new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
}
