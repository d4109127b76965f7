import type { Text, Texts } from "./texts.ts";

/** Descriptions, and where those of one place also hold for another. */
export interface TextSource {
  readonly texts: readonly Texts[];
  /** The fields of the first have the descriptions of the second, where they have none of their own. */
  readonly alike: Readonly<Record<string, string>>;
  /** Of a field with this name in any schema, where nothing else describes it. */
  readonly fields: Texts;
}

/** Finds descriptions, and knows those that nothing has used. */
export class TextLookup {
  readonly #texts = new Map<string, Text>();
  readonly #source: TextSource;
  readonly #unused: Set<string>;

  constructor(source: TextSource) {
    this.#source = source;
    for (const [key, text] of source.texts.flatMap((texts) => Object.entries(texts))) {
      if (this.#texts.has(key)) throw new Error(`${key} is described twice.`);
      this.#texts.set(key, text);
    }
    this.#unused = new Set(this.#texts.keys());
  }

  /** The description of a schema, an operation or a parameter. */
  find(key: string): Text | undefined {
    const text = this.#texts.get(key);
    if (text !== undefined) this.#unused.delete(key);
    return text;
  }

  /** The description of a field, its own or that of a place that is alike. */
  findField(key: string): Text | undefined {
    return this.find(key) ?? this.#findAlike(key) ?? this.#source.fields[key.split(".").at(-1) ?? ""];
  }

  #findAlike(key: string): Text | undefined {
    for (const [place, other] of Object.entries(this.#source.alike)) {
      const prefix = place.startsWith("*") ? (/^\w+/.exec(key)?.[0] ?? "") : place;
      const isOfPlace = place.startsWith("*")
        ? prefix.endsWith(place.slice(1))
        : key === place || key.startsWith(`${place}.`);
      if (!isOfPlace) continue;
      const otherKey = `${other}${key.slice(prefix.length)}`;
      const text = this.find(otherKey) ?? (otherKey === key ? undefined : this.#findAlike(otherKey));
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** The descriptions of what the document does not have. */
  unused(): string[] {
    return [...this.#unused];
  }
}

/** What the values of a text lack, or have too much, for an enumeration. */
export function valueProblems(key: string, text: Text, values: readonly unknown[]): string[] {
  const described = typeof text === "string" ? [] : Object.keys(text.values);
  if (values.length < 2 && described.length === 0) return [];
  const names = values.map(String);
  return [
    ...names
      .filter((value) => !described.includes(value))
      .map((value) => `${key}: the value ${value} has no description.`),
    ...described.filter((value) => !names.includes(value)).map((value) => `${key}: there is no value ${value}.`),
  ];
}
