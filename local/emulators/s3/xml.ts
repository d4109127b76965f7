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
  return [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g"))].map(([, content = ""]) => content);
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
