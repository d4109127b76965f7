const SLASH = 0x2f;

/** A URL or path without the slashes at its end. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === SLASH) end -= 1;
  return text.slice(0, end);
}

/** A parameter of a redirect without what platforms append to the last one: Instagram `#_`, Facebook `#_=_`. */
export function withoutFragment(text: string): string {
  return text.replace(/#_(=_)?$/, "");
}
