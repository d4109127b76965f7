import { type Fields, fields } from "../common/fields.ts";
import { type HoldState, type Link, toHoldState } from "./calls.ts";

const HOLD_ID = /^hold_[0-9A-Z]{26}$/;

/** What the page knows at its start: a link, that there is none, or how its hold ended before a reload. */
export type Start =
  | { readonly kind: "link"; readonly link: Link }
  | { readonly kind: "incomplete" | "not_valid" }
  | { readonly kind: "ended"; readonly hold: HoldState };

/**
 * Reads the link from the page's URL and moves the secret to the state of this entry in the tab's history. So it stays
 * out of the address bar and of copied links, no server receives it with the page, and it survives a reload.
 */
export function readLink(): Start {
  const holdId = new URLSearchParams(location.search).get("hold") ?? "";
  const state = fields(history.state);
  const isHold = HOLD_ID.test(holdId);
  const secretInUrl = secretFromHash();
  if (secretInUrl !== "") replaceState(isHold ? { secret: secretInUrl } : {});
  else if (location.hash !== "") replaceState(state);
  else if (state.ended) return { kind: "ended", hold: toHoldState(fields(state.ended)) };
  const secret = secretInUrl || String(state.secret ?? "");
  if (secret === "") return { kind: "incomplete" };
  return isHold ? { kind: "link", link: { holdId, secret } } : { kind: "not_valid" };
}

/** Replaces the secret in the tab's history by how its hold ended: the secret is of no use any more. */
export function forgetSecret(ended: HoldState): void {
  replaceState({ ended });
}

/** Reloads when a link is opened again in this tab: the browser itself loads nothing when only the fragment changes. */
export function reloadOnNewLink(): void {
  addEventListener("hashchange", () => {
    if (secretFromHash() !== "") location.reload();
  });
}

function replaceState(state: Fields): void {
  history.replaceState(state, "", location.pathname + location.search);
}

function secretFromHash(): string {
  return new URLSearchParams(location.hash.slice(1)).get("t") ?? "";
}
