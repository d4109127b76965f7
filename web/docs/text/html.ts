/** Markup. A string is text until it is put into one. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Value = Html | string | number | null | undefined | false | readonly Value[];

/** Markup from a template. Strings in it are escaped; null, undefined and false are left out. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((part, i) => part + (i < values.length ? toMarkup(values[i]) : "")).join(""));
}

function toMarkup(value: Value): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.markup;
  if (typeof value === "object") return value.map(toMarkup).join("");
  return escapeHtml(String(value));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Each value with a separator between them. */
export function joinHtml(values: readonly (Html | string)[], separator: Html | string): Html {
  return html`${values.flatMap((value, i) => (i === 0 ? [value] : [separator, value]))}`;
}

/** The anchor of a heading, as GitHub makes it. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
