import type { SitePage } from "../layout.ts";

/** A page or a part of one, as the search finds it. */
export interface Section {
  readonly title: string;
  readonly place: string;
  readonly href: string;
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " " };

/** The text of markup that this build made. */
export function readText(markup: string): string {
  return (
    markup
      .replace(/<\/?(?:wbr|a|b|code|em|span|strong)(?:\s[^<>]*)?>/g, "")
      // Super-linear: it reads the markup that this build made.
      .replace(/<[^>]*>/g, " ")
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
      .replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
      .replace(/\s+/g, " ")
      .trim()
  );
}

/** A page by its title and what stands before its first section, and each of its sections. */
export function pageSections({ title, group, path, body, headings, description }: SitePage): Section[] {
  const starts = headings
    .filter(({ level }) => level > 1)
    .map((heading) => ({ ...heading, at: body.markup.indexOf(` id="${heading.id}"`) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const until = (index: number) => starts[index]?.at ?? body.markup.length;
  const textOf = (from: number, to: number) => readText(withoutFields(openTag(body.markup.slice(from, to))));
  return [
    { title, place: group, href: path, text: `${description} ${textOf(0, until(0))}` },
    ...starts.map(({ id, text, at }, index) => ({
      // An operation is also found by its id.
      title: /^[a-z]+([A-Z][a-z]+)+$/.test(id) ? `${text} · ${id}` : text,
      place: title,
      href: `${path}#${id}`,
      text: textOf(at, until(index + 1)),
    })),
  ];
}

/** Without the rest of the tag in which a part begins, and the tag in which it ends. */
function openTag(markup: string): string {
  const text = markup.replace(/^ id="[^"]*"[^>]*>/, " ");
  // Super-linear: it reads the markup that this build made.
  return text.replace(/<[^>]*$/, "");
}

/** Fields are found by themselves, and an example says what they say. */
function withoutFields(markup: string): string {
  const at = markup.search(/<h3>|<ul class="fields">|<div class="example">/);
  if (at === -1 || !markup.includes('<ul class="fields">')) return markup;
  return `${markup.slice(0, at)} ${[...new Set(fieldNames(markup))].join(" ")}`;
}

/** The names of the fields and parameters in the markup of a reference page. */
export function fieldNames(markup: string): string[] {
  return [...markup.matchAll(/<code class="name">([^<]+)<\/code>/g)].map(([, name = ""]) => name);
}
