/** An item as text that is the same each time: an engine may return the attributes in another order. */
export function rowText(item: object): string {
  return JSON.stringify(item, (_, value: unknown) => {
    if (value instanceof Set) return [...value].sort();
    if (value === null || typeof value !== "object" || Array.isArray(value) || value instanceof Uint8Array)
      return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
