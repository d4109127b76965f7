const SLASH = 0x2f;

/** A URL without the slashes at its end. */
export function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url.charCodeAt(end - 1) === SLASH) end -= 1;
  return url.slice(0, end);
}
