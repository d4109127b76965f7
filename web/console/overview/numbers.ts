const format = new Intl.NumberFormat();

/** A count with the separators of the reader's language. */
export function number(count: number): string {
  return format.format(count);
}
