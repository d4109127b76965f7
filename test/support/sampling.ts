import { inject } from "vitest";

/** How often to repeat a check: `whole` in `npm run test:full`, `sample` in `npm test`. */
export function repetitions({ whole, sample }: { readonly whole: number; readonly sample: number }): number {
  return inject("fullRun") ? whole : sample;
}
