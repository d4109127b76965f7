import type { Route } from "../router.ts";

// Suggests the route that a caller meant by an unknown path. Of a path of any length, at most the first segments are
// compared, each with a bounded distance.

const SEGMENTS_MAX = 10;
const SEGMENT_CHARS_MAX = 40;
/** More differences than these are another word. */
const DISTANCE_MAX = 2;
/** A segment too many or too few. */
const SEGMENT_COST = 2;
const PATH_COST_MAX = 3;

/**
 * The nearest route of a path that none matches, as `POST /v1/webhooks/{id}/test`; null when none is near. A route with the
 * method of the request wins over one as near.
 * @param path percent-encoded
 */
export function nearestRoute(routes: readonly Route[], method: string, path: string): string | null {
  const segments = path.split("/", SEGMENTS_MAX + 2).slice(1);
  if (segments.length > SEGMENTS_MAX || segments.some((segment) => segment.length > 8 * SEGMENT_CHARS_MAX)) return null;
  const withoutVersion = segments[0] === "v1" ? [segments.slice(1)] : [];
  const variants = [segments, ["v1", ...segments], ...withoutVersion].map((parts) =>
    parts.filter((part) => part !== ""),
  );
  let nearest: { readonly route: Route; readonly cost: number } | null = null;
  for (const route of routes) {
    const parts = route.path.split("/").slice(1);
    // The front page is not what a path means.
    if (parts[0] === "") continue;
    const distance = Math.min(...variants.map((variant, index) => pathDistance(parts, variant) + index / 2));
    const cost = distance + (route.method === method ? 0 : 0.25);
    if (distance <= PATH_COST_MAX && cost < (nearest?.cost ?? Number.POSITIVE_INFINITY)) nearest = { route, cost };
  }
  return nearest && `${nearest.route.method} ${nearest.route.path}`;
}

/** The name that is nearest to a text; null when none is near. */
export function nearestName(names: Iterable<string>, text: string): string | null {
  const plain = text.toLowerCase().replaceAll("-", "_");
  let nearest: { readonly name: string; readonly cost: number } | null = null;
  for (const name of names) {
    const cost = name.replaceAll("_", "") === plain.replaceAll("_", "") ? 0 : editDistance(name, plain);
    if (cost <= Math.min(DISTANCE_MAX, name.length / 3) && cost < (nearest?.cost ?? 3)) nearest = { name, cost };
  }
  return nearest?.name ?? null;
}

/** Infinity for paths that have less than half of their words in common. */
function pathDistance(parts: readonly string[], segments: readonly string[]): number {
  const missing = Math.abs(parts.length - segments.length);
  if (missing > 1) return Number.POSITIVE_INFINITY;
  let distance = missing * SEGMENT_COST;
  let literals = 0;
  for (const [index, part] of parts.entries()) {
    const segment = segments[index];
    if (segment === undefined || part.startsWith("{")) continue;
    const cost = wordDistance(part, segment.toLowerCase());
    if (cost > Math.min(DISTANCE_MAX, part.length / 3)) return Number.POSITIVE_INFINITY;
    if (part !== "v1") literals += 1;
    distance += cost;
  }
  return literals === 0 ? Number.POSITIVE_INFINITY : distance;
}

/** 1 for the plural of a word, and for a file with another extension. */
function wordDistance(part: string, segment: string): number {
  if (part === segment) return 0;
  if (segment.length > SEGMENT_CHARS_MAX) return DISTANCE_MAX + 1;
  const isSameFile = part.includes(".") && fileStem(part) === fileStem(segment);
  return isSameFile || singular(part) === singular(segment) ? 1 : editDistance(part, segment);
}

function fileStem(name: string): string {
  return name.split(".", 1)[0] ?? name;
}

function singular(word: string): string {
  return word.replace(/ies$/, "y").replace(/s$/, "");
}

/**
 * The changes of single characters, and swaps of two neighbors, that make one text of the other; more than `DISTANCE_MAX` is
 * any greater number.
 */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > DISTANCE_MAX || a.length > SEGMENT_CHARS_MAX) return DISTANCE_MAX + 1;
  let beforePrevious: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (beforePrevious[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    beforePrevious = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
