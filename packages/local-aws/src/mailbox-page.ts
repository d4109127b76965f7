import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import type { MailboxBuild } from "./mailbox/page-build.ts";

const folder = new URL("./mailbox/page/", import.meta.url);

/** A file of the mailbox page. */
export interface MailboxFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

interface Source {
  readonly type: string;
  content(): Promise<Buffer | string>;
}

const files: Readonly<Record<string, Source>> = {
  "/_local/mail": { type: "text/html; charset=utf-8", content: () => readFile(new URL("index.html", folder)) },
  "/_local/mail/mailbox.js": { type: "text/javascript; charset=utf-8", content: () => built("mailbox.js") },
  "/_local/mail/mailbox.css": { type: "text/css; charset=utf-8", content: () => built("mailbox.css") },
};

/**
 * A mail is shown in a frame of this page that runs no script, and the frame has this policy, too: it loads nothing, and
 * only its own styles apply.
 */
const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

/**
 * Returns the file of the mailbox page that a request asks for, or null. The page has no mail: it reads them with the
 * control token. At `/_local/mail` a browser that opens it gets the page, and any other caller does not.
 */
export async function mailboxPage(
  method: string | undefined,
  path: string,
  { accept = "", authorization }: IncomingHttpHeaders,
): Promise<MailboxFile | null> {
  const source = Object.hasOwn(files, path) ? files[path] : undefined;
  if (source === undefined || (method !== "GET" && method !== "HEAD")) return null;
  if (path === "/_local/mail" && (authorization !== undefined || !accept.includes("text/html"))) return null;
  return { headers: { ...headers, "content-type": source.type }, body: await source.content() };
}

const builds = new Map<MailboxBuild, Promise<Buffer | string>>();

/** A built file of the page. The package has it; here it is built once, when it is first asked for. */
function built(name: MailboxBuild): Promise<Buffer | string> {
  const content = builds.get(name) ?? load(name);
  builds.set(name, content);
  return content;
}

async function load(name: MailboxBuild): Promise<Buffer | string> {
  const file = new URL(name, folder);
  // The style sheet has a source of the same name, which imports others.
  if (existsSync(file) && !existsSync(new URL("mailbox.ts", folder))) return readFile(file);
  const { buildMailboxFile } = await import("./mailbox/page-build.ts");
  return buildMailboxFile(name);
}
