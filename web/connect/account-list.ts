import { create, element } from "../common/elements.ts";
import {
  accountName,
  accountSubtitle,
  connectionText,
  humanAgentText,
  loginOf,
  platformName,
  statusText,
  tokenText,
} from "./account-texts.ts";
import type { Account } from "./calls.ts";

const list = element("accounts", HTMLElement);
const noAccounts = element("no-accounts", HTMLElement);

/** What a person may do with an account. */
export interface AccountActions {
  /** The URL of a login. */
  readonly loginUrl: (login: "instagram" | "messenger") => string;
  readonly onDisconnect: (account: Account) => void;
}

/** Shows the accounts, in the order of their names. @param actions null for a person who may only see them */
export function showAccounts(accounts: readonly Account[], actions: AccountActions | null): void {
  const sorted = [...accounts].sort((a, b) => accountName(a).localeCompare(accountName(b), "en"));
  list.replaceChildren(...sorted.map((account) => accountEntry(account, actions)));
  list.hidden = accounts.length === 0;
  noAccounts.hidden = accounts.length > 0;
}

export function hideAccounts(): void {
  list.hidden = true;
  noAccounts.hidden = true;
}

function accountEntry(account: Account, actions: AccountActions | null): HTMLElement {
  const name = accountName(account);
  const { condition, label, explanation, canReconnect } = statusText(account);
  const head = create(
    "div",
    { class: "account-head" },
    create("span", { class: "initial", "aria-hidden": "true" }, initialOf(name)),
    create(
      "div",
      { class: "names" },
      create("h2", { class: "name" }, name),
      create("p", { class: "soft" }, accountSubtitle(account)),
    ),
    create("span", { class: `status ${condition}` }, create("span", { class: "unseen" }, "Status: "), label),
  );
  const entry = create("li", { class: "account" }, head);
  if (explanation !== "") entry.append(create("p", { class: "explanation" }, explanation));
  entry.append(...quotes(account), facts(account));
  if (actions) entry.append(buttons(account, actions, canReconnect));
  return entry;
}

function initialOf(name: string): string {
  return ([...name][0] ?? "").toUpperCase();
}

/** The platform's own words. */
function quotes({ platform, statusDetail, refreshError }: Account): HTMLElement[] {
  const quote = (source: string, words: string) =>
    words === "" ? [] : [create("p", { class: "quote" }, `${source}: `, create("q", { dir: "auto" }, words))];
  return [
    ...quote(`${platformName(platform)} says`, statusDetail),
    ...quote("The last refresh failed with", refreshError === statusDetail ? "" : refreshError),
  ];
}

function facts(account: Account): HTMLElement {
  const rows: [string, string][] = [
    ["Connected by", connectionText(account)],
    ["Token refreshed", tokenText(account)],
    ["Human agent", humanAgentText(account)],
  ];
  const shown = rows.filter(([, text]) => text !== "");
  return create(
    "dl",
    { class: "facts" },
    ...shown.map(([term, text]) => create("div", {}, create("dt", {}, term), create("dd", {}, text))),
  );
}

function buttons(account: Account, actions: AccountActions, canReconnect: boolean): HTMLElement {
  const target = `${accountName(account)} on ${platformName(account.platform)}`;
  const row = create("div", { class: "actions" });
  if (canReconnect) {
    const href = actions.loginUrl(loginOf(account));
    row.append(create("a", { class: "button small", href, "aria-label": `Reconnect ${target}` }, "Reconnect"));
  }
  const attributes = { type: "button", class: "second small", "aria-label": `Disconnect ${target}` };
  const disconnect = create("button", attributes, "Disconnect");
  disconnect.addEventListener("click", () => actions.onDisconnect(account));
  row.append(disconnect);
  return row;
}
