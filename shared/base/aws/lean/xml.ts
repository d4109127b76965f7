// The little XML of S3: elements without attributes, each of a name that it does not contain again.

/** The contents of every element of a name. */
export function elements(xml: string, name: string): string[] {
  const contents: string[] = [];
  for (let from = 0; ; ) {
    const start = xml.indexOf(`<${name}>`, from);
    const end = start < 0 ? -1 : xml.indexOf(`</${name}>`, start);
    if (end < 0) return contents;
    contents.push(xml.slice(start + name.length + 2, end));
    from = end;
  }
}

/** The text of the first element of a name; undefined without one. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elements(xml, name);
  return content === undefined ? undefined : unescapeXml(content);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"'\r\n\u0085\u2028]/g, (each) => {
    const name = Object.keys(entities).find((key) => entities[key] === each);
    return name ? `&${name};` : `&#x${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")};`;
  });

function unescapeXml(text: string): string {
  return text.replace(/&(#x?)?(\w+);/g, (whole, code: string | undefined, name: string) => {
    if (code === undefined) return entities[name] ?? whole;
    return String.fromCodePoint(Number.parseInt(name, code === "#x" ? 16 : 10));
  });
}
