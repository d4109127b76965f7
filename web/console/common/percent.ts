const precise = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** A share from 0 to 1 in words. Never `100%` while a part is missing, and never `0%` while one is there. */
export function percent(share: number): string {
  const rounded = Math.round(share * 1_000) / 1_000;
  if (share < 1 && rounded === 1) return precise.format(0.999);
  return precise.format(share > 0 && rounded === 0 ? 0.001 : rounded);
}
