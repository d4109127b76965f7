import { isPlatform } from "./data/names.ts";

// The addresses of the console. A path holds ids, never a name or a text of a person.

/** Where the console is served. */
export const CONSOLE_PATH = "/app";

/** A place in the console. `conversation` is the id of the open conversation. */
export type Place =
  | { readonly page: "start" }
  | { readonly page: "inbox"; readonly tenant: string; readonly conversation: string | null }
  | { readonly page: "accounts"; readonly tenant: string }
  | { readonly page: "unknown" };

const ID = /^[!-~]+$/;

/**
 * The place that a path names.
 * @param path the path of the page, such as `/app/acme/inbox/instagram/178414/993`, without query and fragment
 */
export function parsePath(path: string): Place {
  const [app, tenant, page, ...rest] = path.replace(/\/$/, "").split("/").slice(1).map(decode);
  if (`/${app}` !== CONSOLE_PATH) return { page: "unknown" };
  if (tenant === undefined) return { page: "start" };
  if (page === "accounts" && rest.length === 0) return { page: "accounts", tenant };
  if (page !== undefined && page !== "inbox") return { page: "unknown" };
  if (rest.length === 0) return { page: "inbox", tenant, conversation: null };
  const [platform, account, person, ...more] = rest;
  const isConversation =
    more.length === 0 && isPlatform(platform) && [account, person].every((id) => id !== undefined && ID.test(id));
  return isConversation
    ? { page: "inbox", tenant, conversation: `CONV#${tenant}#${platform}#${account}#${person}` }
    : { page: "unknown" };
}

/** The path of the inbox, or of one conversation in it. @param conversation its id: `CONV#<tenant>#<platform>#<account>#<person>` */
export function inboxPath(tenant: string, conversation: string | null = null): string {
  const base = `${CONSOLE_PATH}/${encodeURIComponent(tenant)}/inbox`;
  if (conversation === null) return base;
  const [, , ...parts] = conversation.split("#");
  return [base, ...parts.map(encodeURIComponent)].join("/");
}

/** The path of the page that connects accounts. */
export function accountsPath(tenant: string): string {
  return `${CONSOLE_PATH}/${encodeURIComponent(tenant)}/accounts`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
