/** Copies of a JSON value, each with a field that no schema declares in one of its objects. */
export function* withUndeclaredFields(
  value: unknown,
  place = "",
): Generator<{ readonly place: string; readonly value: unknown }> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield { place, value: { ...value, undeclared: 1 } };
  for (const [name, member] of Object.entries(value)) {
    for (const changed of withUndeclaredFields(member, `${place}/${name}`)) {
      yield {
        place: changed.place,
        value: Array.isArray(value) ? value.with(Number(name), changed.value) : { ...value, [name]: changed.value },
      };
    }
  }
}
