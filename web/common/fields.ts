/** The fields of a JSON object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** @returns no fields for what is no object */
export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** @returns the empty string for what is no string */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
