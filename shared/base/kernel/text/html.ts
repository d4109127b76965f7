import { printableText } from "./printable.ts";

/** Text that is already HTML. */
export interface Markup {
  markup: string;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return printableText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** HTML in which every value is escaped, except values that are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: (string | Markup | readonly Markup[])[]): Markup {
  const written = values.map((value) => {
    if (typeof value === "string") return escapeHtml(value);
    return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("\n");
  });
  return { markup: parts.reduce((text, part, at) => `${text}${written[at - 1] ?? ""}${part}`) };
}
