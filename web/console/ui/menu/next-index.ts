/**
 * Where a key moves in a list or a grid; null when it moves nowhere. A list begins again after its end, a grid does
 * not.
 * @param at the index of the focus, -1 outside; how many there are, and how many stand in a row
 */
export function nextIndex(
  key: string,
  { index, count, columns }: { readonly index: number; readonly count: number; readonly columns: number },
): number | null {
  if (count === 0) return null;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const isGrid = columns > 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    ...(isGrid ? { ArrowRight: 1, ArrowLeft: -1 } : {}),
  };
  const step = steps[key];
  if (step === undefined) return null;
  if (index === -1) return step > 0 ? 0 : count - 1;
  const next = index + step;
  if (!isGrid) return (next + count) % count;
  return next >= 0 && next < count ? next : null;
}
