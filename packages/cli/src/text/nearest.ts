/**
 * Returns the candidate that is most likely meant: one that the word begins or ends, or one at most a third of the
 * word's letters away from it. Returns null if none is.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const related = candidates.find((candidate) => candidate.startsWith(`${word} `) || candidate.endsWith(` ${word}`));
  if (related !== undefined) return related;
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}

/** The number of letters to insert, remove, replace or swap with their neighbor. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + cost,
        swapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
