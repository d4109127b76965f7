/** The pages written in Markdown, by group, in the order of the navigation. Each is a path from `docs`. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "Get started": [
    "guides/quick-start.md",
    "concepts.md",
    "guides/console.md",
    "operate/local-stack.md",
    "operate/simulator.md",
    "guides/testing.md",
  ],
  "Use the API": [
    "guides/authentication.md",
    "guides/client.md",
    "guides/generated-clients.md",
    "guides/pagination.md",
    "guides/idempotency.md",
    "guides/limits.md",
    "errors.md",
    "guides/versioning.md",
  ],
  Messages: [
    "guides/sending.md",
    "guides/uploads.md",
    "guides/held-messages.md",
    "guides/erase-on-request.md",
    "operate/erasing.md",
    "guides/stats.md",
  ],
  "Events and webhooks": [
    "guides/webhooks.md",
    "guides/delivery.md",
    "guides/realtime.md",
    "guides/missed-webhooks.md",
    "guides/no-webhook-arrives.md",
  ],
  "Accounts and people": [
    "guides/connect-accounts.md",
    "guides/accounts.md",
    "guides/sign-in.md",
    "guides/team.md",
    "guides/keys.md",
    "guides/meta-app.md",
  ],
  "Build something": ["guides/auto-reply.md", "guides/chat-tool.md", "guides/help-desk.md"],
  "Run your own": [
    "operate/deploy.md",
    "operate/new-account.md",
    "operate/settings.md",
    "operate/commands.md",
    "operate/domains.md",
    "operate/upgrade.md",
    "operate/remove.md",
  ],
};
/** The pages for operators that are published. The others are in the repository only. */
export const operatorPages = Object.values(groups)
  .flat()
  .filter((source) => source.startsWith("operate/"));
const OTHERS = "More guides";

/** The pages that another page of the site replaces: it has the same content, the reference page with schemas. */
const replaced: Readonly<Record<string, string>> = {
  "guides/events.md": "/docs/reference/events",
  "openapi.json": "/openapi.json",
  "README.md": "/docs",
};

export interface SourcePage {
  /** A path from `docs`. */
  readonly source: string;
  readonly group: string;
  readonly path: string;
}

/**
 * The pages that are published, of the files that exist.
 * @param files paths from `docs`
 */
export function listPages(files: readonly string[]): SourcePage[] {
  const named = Object.entries(groups).flatMap(([group, sources]) => sources.map((source) => ({ group, source })));
  const others = files
    .filter((file) => /^guides\/[\w-]+\.md$/.test(file) && !(file in replaced))
    .filter((file) => !named.some(({ source }) => source === file))
    .map((source) => ({ group: OTHERS, source }));
  return [...named, ...others]
    .filter(({ source }) => files.includes(source))
    .map((page) => ({ ...page, path: `/docs/${page.source.replace(/\.md$/, "")}` }));
}

/** The programs beside the guides, which are pages of their own. */
export function listPrograms(files: readonly string[]): string[] {
  return files.filter((file) => /^guides\/receivers\/[\w-]+\.\w+$/.test(file));
}

/**
 * The address of what a page links to.
 * @param source the page with the link, as a path from `docs`
 * @param files the files of `docs` that are published, as paths from it
 */
export function resolveSiteLink(source: string, href: string, files: readonly string[]): string | null {
  if (/^https:\/\//.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  if (/^[a-z]+:/i.test(path)) return null;
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (path === "") return hash;
  const target = joinPath(source, path);
  const address = target === null ? undefined : replaced[target];
  if (address !== undefined) return address === "/docs" ? address : `${address}${hash}`;
  return target !== null && files.includes(target) ? `/docs/${target.replace(/\.md$/, "")}${hash}` : null;
}

/** A relative path from a file, as a path from the root. Null if it is outside. */
function joinPath(from: string, path: string): string | null {
  const folders = from.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") {
      if (folders.pop() === undefined) return null;
    } else if (part !== ".") folders.push(part);
  }
  return folders.join("/");
}
