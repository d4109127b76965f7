import { type ClientOptions, Parley, ParleyError } from "#client";
import { turningClock } from "./clock.ts";
import { credentials } from "./credentials.ts";

const REASON = "The person left the page.";

/** When an iteration is aborted. The server's second page is what the name says. */
const moments: Readonly<Record<string, (abort: () => void) => Partial<ClientOptions> & { onId?: () => void }>> = {
  "between-pages": (abort) => ({ onId: abort }),
  // The response has its headers, and its body hangs.
  "hanging-page": (abort) => ({
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (String(url).includes("cursor")) abort();
      return response;
    },
  }),
  // The page is refused, and the wait for its retry never ends.
  "refused-page": (abort) => ({
    clock: {
      now: () => 0,
      schedule(_, delayMs) {
        if (delayMs < 31_000) setTimeout(abort);
        return () => {};
      },
    },
  }),
};

/** Aborts an iteration over a list at each moment, and leaves one by `break`. */
export async function runAborts(baseUrl: string, now: number): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const [moment, optionsFor] of Object.entries(moments)) {
    const controller = new AbortController();
    const { onId, ...options } = optionsFor(() => controller.abort(REASON));
    const parley = new Parley({
      baseUrl: `${baseUrl}/${moment}`,
      ...credentials,
      clock: turningClock(now),
      random: () => 0,
      ...options,
    });
    const ids: string[] = [];
    try {
      for await (const { id } of parley.messages.list({}, { signal: controller.signal })) {
        ids.push(id);
        onId?.();
      }
    } catch (error) {
      const isExpected = error instanceof ParleyError && error.cause === REASON;
      rows[moment] = { ids, error: isExpected ? error.code : String(error) };
    }
  }
  const parley = new Parley({ baseUrl: `${baseUrl}/left-loop`, ...credentials, clock: turningClock(now) });
  for await (const { id } of parley.messages.list()) {
    rows["left-loop"] = id;
    break;
  }
  return rows;
}
