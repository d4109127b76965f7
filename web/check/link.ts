import type { Link } from "./calls.ts";

const HOLD_ID = /^hold_[0-9A-Z]{26}$/;

/**
 * Reads the page's own address and takes the secret out of it at once, so that it stays out of the address bar, the
 * history and what is copied from there. From here on it is in this page's memory only.
 */
export function readLink(): Link | "incomplete" | "not_valid" {
  const holdId = new URLSearchParams(location.search).get("hold") ?? "";
  const secret = secretFromHash();
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  if (secret === "") return "incomplete";
  return HOLD_ID.test(holdId) ? { holdId, secret } : "not_valid";
}

/** The same link followed again in this tab changes the fragment alone, which loads nothing: begin anew with it. */
export function reloadOnNewLink(): void {
  addEventListener("hashchange", () => {
    if (secretFromHash() !== "") location.reload();
  });
}

function secretFromHash(): string {
  return new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
}
