import { inject } from "vitest";

/** How often to repeat a check: `whole` in `npm run test:full`, `sample` in `npm test`. */
export function repetitions({ whole, sample }: { readonly whole: number; readonly sample: number }): number {
  return inject("fullRun") ? whole : sample;
}

/** All of `items` in `npm run test:full`; the first and each `step`-th after it in `npm test`. */
export function sampled<T>(items: readonly T[], { step }: { readonly step: number }): readonly T[] {
  return inject("fullRun") ? items : items.filter((_item, index) => index % step === 0);
}
