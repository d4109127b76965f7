import { refuse } from "./error-messages.ts";

/** One name of the parameter `fields`: `messages.limit(5){id,from}`. */
export interface Field {
  name: string;
  /** The number of entries of a list; null without `.limit(…)`. */
  limit: number | null;
  /** The fields of the nested object; null without braces. */
  inner: Field[] | null;
}

export type Values = Record<string, unknown>;

/** Parses the parameter `fields`. Characters that belong to no field are ignored. */
export function parseFields(list: string): Field[] {
  let rest = list;
  const parseList = (): Field[] => {
    const fields: Field[] = [];
    while (rest !== "" && !rest.startsWith("}")) {
      const [text, name, modifiers = ""] = /^([\w]+)((?:\.\w+\([^)]*\))*)/.exec(rest) ?? [];
      if (text === undefined || name === undefined) {
        rest = rest.slice(1);
        continue;
      }
      rest = rest.slice(text.length);
      const limit = /\.limit\((\d+)\)/.exec(modifiers)?.[1];
      const field: Field = { name, limit: limit === undefined ? null : Number(limit), inner: null };
      if (rest.startsWith("{")) {
        rest = rest.slice(1);
        field.inner = parseList();
        rest = rest.slice(1);
      }
      fields.push(field);
    }
    return fields;
  };
  return parseList();
}

/**
 * The requested fields of an object and always its id. Omits null fields and throws for unknown ones. A value that is a
 * function is called with its field. In a list of Graph, `{data: […]}`, the nested fields are those of its entries, and in
 * an edge of one object, `{data: {…}}`, those of the object.
 */
export function selectFields(values: Values, fields: readonly Field[], instagramHost: boolean): Values {
  const selected: Values = {};
  for (const field of fields) {
    const { name, inner } = field;
    if (!(name in values)) throw refuse.unknownField(name, instagramHost);
    const entry = values[name];
    const value = typeof entry === "function" ? entry(field) : entry;
    if (value === null) continue;
    selected[name] = inner === null || typeof entry === "function" ? value : selectInner(value, inner, instagramHost);
  }
  return { ...selected, ...("id" in values ? { id: values.id } : {}) };
}

function selectInner(value: Values, inner: readonly Field[], instagramHost: boolean): Values {
  const { data } = value;
  if (Array.isArray(data)) {
    return { ...value, data: data.map((one: Values) => selectFields(one, inner, instagramHost)) };
  }
  return isObject(data)
    ? { data: selectFields(data, inner, instagramHost) }
    : selectFields(value, inner, instagramHost);
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null;
}
