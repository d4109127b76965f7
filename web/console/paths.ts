import { isPlatform } from "./data/names.ts";

// The addresses of the console. A path holds ids, never a name or a text of a person.

/** Where the console is served. */
export const CONSOLE_PATH = "/app";

/** A place in the console. `conversation` is the id of the open conversation; `ids` are those of an endpoint and a delivery. */
export type Place =
  | { readonly page: "start" }
  | { readonly page: "inbox"; readonly tenant: string; readonly conversation: string | null }
  | { readonly page: "webhooks"; readonly tenant: string; readonly ids: readonly string[] }
  | { readonly page: "overview" | "waiting" | "accounts" | "keys" | "team" | "audit"; readonly tenant: string }
  | { readonly page: "unknown" };

/** A page of a workspace beside the inbox. */
export type SidePage = Extract<Place, { tenant: string }>["page"];

const ID = /^[!-~]+$/;
const isId = (id: string | undefined): boolean => id !== undefined && ID.test(id);
/** An endpoint, and one of its deliveries. */
const WEBHOOK_IDS_MAX = 2;

/**
 * The place that a path names.
 * @param path the path of the page, such as `/app/acme/inbox/instagram/178414/993`, without query and fragment
 */
export function parsePath(path: string): Place {
  const [app, tenant, page, ...rest] = path.replace(/\/$/, "").split("/").slice(1).map(decode);
  if (`/${app}` !== CONSOLE_PATH) return { page: "unknown" };
  if (tenant === undefined) return { page: "start" };
  if (page !== undefined && page !== "inbox") return parseSidePage(tenant, page, rest);
  if (rest.length === 0) return { page: "inbox", tenant, conversation: null };
  const [platform, account, person, ...more] = rest;
  const isConversation = more.length === 0 && isPlatform(platform) && [account, person].every(isId);
  return isConversation
    ? { page: "inbox", tenant, conversation: `CONV#${tenant}#${platform}#${account}#${person}` }
    : { page: "unknown" };
}

function parseSidePage(tenant: string, page: string, ids: readonly string[]): Place {
  if (page === "webhooks" && ids.length <= WEBHOOK_IDS_MAX && ids.every(isId)) return { page, tenant, ids };
  const isOther =
    page === "overview" ||
    page === "waiting" ||
    page === "accounts" ||
    page === "keys" ||
    page === "team" ||
    page === "audit";
  return isOther && ids.length === 0 ? { page, tenant } : { page: "unknown" };
}

/** The path of the inbox, or of one conversation in it. @param conversation its id: `CONV#<tenant>#<platform>#<account>#<person>` */
export function inboxPath(tenant: string, conversation: string | null = null): string {
  const base = `${CONSOLE_PATH}/${encodeURIComponent(tenant)}/inbox`;
  if (conversation === null) return base;
  const [, , ...parts] = conversation.split("#");
  return [base, ...parts.map(encodeURIComponent)].join("/");
}

/** The path of a page of a workspace. @param ids of the endpoint and the delivery that it shows */
export function sidePath(tenant: string, page: SidePage, ...ids: readonly string[]): string {
  return [CONSOLE_PATH, ...[tenant, page, ...ids].map(encodeURIComponent)].join("/");
}

/** The path of the page that connects accounts. */
export function accountsPath(tenant: string): string {
  return sidePath(tenant, "accounts");
}

/** Where the console starts in a workspace: at its accounts with the end of a login, or else at the inbox. @param query of the address */
export function startPath(tenant: string, query: URLSearchParams): string {
  const end = ["connected", "error"].find((name) => query.has(name));
  if (end === undefined) return inboxPath(tenant);
  return `${accountsPath(tenant)}?${new URLSearchParams({ [end]: query.get(end) ?? "" })}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
