import type { Presence } from "../data/live-inbox.ts";

/** A name may be written from right to left: it does not turn the words around it. */
const isolated = (name: string): string => `\u2068${name}\u2069`;

/**
 * What colleagues do, in words: `Ben is writing`, `Ben and Ines are reading`, `3 colleagues are reading`.
 * @param nameOf null for a colleague whose name is not known
 */
export function presenceWords(colleagues: readonly Presence[], nameOf: (userId: string) => string | null): string {
  const words = (["writing", "reading"] as const).flatMap((state) => {
    const names = colleagues.filter((each) => each.state === state).map(({ userId }) => nameOf(userId));
    return names.length === 0 ? [] : [`${subject(names)} ${state}`];
  });
  return words.join(" · ");
}

function subject(names: readonly (string | null)[]): string {
  const [first = null, second = null] = names;
  if (names.length === 1) return first === null ? "A colleague is" : `${isolated(first)} is`;
  if (names.length === 2 && first !== null && second !== null) return `${isolated(first)} and ${isolated(second)} are`;
  return `${names.length} colleagues are`;
}
