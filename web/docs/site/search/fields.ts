import type { SitePage } from "../layout.ts";
import { readText, type Section } from "./sections.ts";

interface FieldPlace {
  readonly page: SitePage;
  /** The operation, event or frame whose field it is. */
  readonly section: string;
  readonly words: string;
}

/** Named last for a field that an operation has, too. */
const LAST = ["/docs/reference/events", "/docs/reference/realtime"];

/** One entry for each name of a field or parameter, at the page of the reference that has it most often. */
export function fieldSections(pages: readonly SitePage[]): Section[] {
  const places = pages.filter(({ layout }) => layout === "reference").flatMap(pageFields);
  return [...Map.groupBy(places, ({ name }) => name)].map(([name, all]) => {
    const byPage = [...Map.groupBy(all, ({ page }) => page)].sort(
      ([a, inA], [b, inB]) => Number(LAST.includes(a.path)) - Number(LAST.includes(b.path)) || inB.length - inA.length,
    );
    const [page, here] = byPage[0] as [SitePage, (FieldPlace & { name: string })[]];
    return {
      title: name,
      place: `Field of ${byPage
        .slice(0, 3)
        .map(([{ title }]) => title)
        .join(", ")}`,
      href: `${page.path}#${here[0]?.section}.${name}`,
      text: here.find(({ words }) => words !== "")?.words ?? "",
    };
  });
}

function pageFields(page: SitePage): (FieldPlace & { readonly name: string })[] {
  return page.body.markup
    .split(/(?=<section class="operation)/)
    .slice(1)
    .flatMap((markup) => {
      const section = /id="([^"]*)"/.exec(markup)?.[1] ?? "";
      const fields = markup.matchAll(
        // Super-linear: it reads the markup that this build made.
        /<code class="name">([\w.-]+)<\/code>[\s\S]*?<\/p>(?:<p class="words">([\s\S]*?)<\/p>)?/g,
      );
      return [...fields].map(([, name = "", words = ""]) => ({ page, section, name, words: readText(words) }));
    });
}
