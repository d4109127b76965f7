/**
 * A duration within a sentence: `4 minutes 5 seconds`.
 * @param seconds at least one second is said
 */
export function formatDuration(seconds: number, language: string): string {
  const total = Math.max(1, Math.ceil(seconds));
  const unit = (count: number, name: "minute" | "second"): string =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "long" }).format(count);
  const [minutes, rest] = [Math.floor(total / 60), total % 60];
  const parts = [...(minutes > 0 ? [unit(minutes, "minute")] : []), ...(rest > 0 ? [unit(rest, "second")] : [])];
  return parts.join(" ");
}
