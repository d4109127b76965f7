import { BASE_URL_MARK } from "../text/base-url.ts";
import { toMarkdown } from "../text/to-markdown.ts";
import type { SitePage } from "./layout.ts";

const SUMMARY =
  "Parley is a gateway for business messaging on Instagram and Messenger: it receives what people write to a business, sends the answers within the platforms’ rules, and delivers every event, signed, to webhook endpoints.";

/** The texts of the site for programs that read Markdown. */
export interface MarkdownCopies {
  /** Each page by its path, to which the address of its copy adds `.md`. */
  readonly pages: Readonly<Record<string, string>>;
  /** The list of all pages, as llmstxt.org describes it. */
  readonly list: string;
  /** Every page in one text. */
  readonly everything: string;
}

/** @param listed the pages of the navigation, in their order; `all` has programs beside the guides, too */
export function markdownCopies(listed: readonly SitePage[], all: readonly SitePage[]): MarkdownCopies {
  const copies = new Map(all.map((page) => [page.path, pageCopy(page)]));
  const groups = Map.groupBy(
    listed.filter(({ group }) => group !== ""),
    ({ group }) => group,
  );
  const sections = [...groups].map(
    ([group, members]) => `## ${group}\n\n${members.map((page) => `- ${listItem(page)}\n`).join("")}`,
  );
  const document = `- [OpenAPI document](${BASE_URL_MARK}/openapi.json): Every operation, event and error of this deployment, with its schema\n`;
  return {
    pages: Object.fromEntries(copies),
    list: [`# Parley\n\n> ${SUMMARY}\n`, ...sections, `## For programs\n\n${document}`].join("\n"),
    everything: listed.map(({ path }) => copies.get(path)).join("\n---\n\n"),
  };
}

function pageCopy({ path, title, body }: SitePage): string {
  return `# ${title}\n\nSource: ${BASE_URL_MARK}${path}\n\n${toMarkdown(body)}`;
}

function listItem({ path, title, description }: SitePage): string {
  return `[${title}](${BASE_URL_MARK}${path}.md): ${description}`;
}
