const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};
const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]));

export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => entities[character] ?? character);
}

/** The raw contents of every element of that name. */
export function elements(xml: string, name: string): string[] {
  const [opening, closing] = [`<${name}>`, `</${name}>`];
  const contents: string[] = [];
  for (let start = xml.indexOf(opening); start >= 0; ) {
    const contentStart = start + opening.length;
    const end = xml.indexOf(closing, contentStart);
    if (end < 0) break;
    contents.push(xml.slice(contentStart, end));
    start = xml.indexOf(opening, end);
  }
  return contents;
}

/** The text of every element of that name. */
export function texts(xml: string, name: string): string[] {
  return elements(xml, name).map(unescapeXml);
}

function unescapeXml(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&#(\d+);/g, (_, decimal: string) => String.fromCodePoint(Number(decimal)))
    .replace(/&(?:lt|gt|amp|quot|apos);/g, (entity) => characters.get(entity) ?? entity);
}
