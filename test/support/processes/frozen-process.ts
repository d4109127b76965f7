import { interceptCalls } from "./port-calls.ts";

/** Where a process freezes: before or after a call of its ports, by the call's index from 0 or by its name. */
export interface FreezePoint {
  readonly call: number | string;
  /** `before`: the call is made after the thaw. `after`: the call is done, and its answer is read after the thaw. */
  readonly when: "before" | "after";
}

export interface FrozenRun<T> {
  /** Whether the process reached the point. */
  readonly reached: boolean;
  readonly result: PromiseSettledResult<T>;
  /** The calls that the process made after it had thawed. */
  readonly callsAfterThaw: readonly string[];
}

/**
 * Runs work in a process that freezes once, as Lambda freezes a function, and thaws when `whileFrozen` has ended: every
 * concurrent branch stands still at its next call. `whileFrozen` turns the clock and runs other processes, with ports
 * of their own.
 */
export async function runFrozen<P extends object, T>(
  ports: P,
  { call: pointCall, when }: FreezePoint,
  { work, whileFrozen }: { readonly work: (ports: P) => Promise<T>; readonly whileFrozen: () => Promise<unknown> },
): Promise<FrozenRun<T>> {
  let calls = 0;
  let reached = false;
  let frozen: Promise<unknown> | null = null;
  let faultWhileFrozen: { readonly error: unknown } | null = null;
  const callsAfterThaw: string[] = [];

  function freeze(): void {
    reached = true;
    frozen = whileFrozen()
      .catch((error: unknown) => {
        faultWhileFrozen = { error };
      })
      .finally(() => {
        frozen = null;
      });
  }

  const frozenPorts = interceptCalls(ports, async (name, call) => {
    const index = calls++;
    const isPoint = !reached && (pointCall === index || pointCall === name);
    if (isPoint && when === "before") freeze();
    await frozen;
    if (reached) callsAfterThaw.push(name);
    const [answer] = await Promise.allSettled([call()]);
    if (isPoint && when === "after") freeze();
    await frozen;
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  });
  const [result] = await Promise.allSettled([work(frozenPorts)]);
  if (faultWhileFrozen) throw (faultWhileFrozen as { error: unknown }).error;
  return { reached, result, callsAfterThaw };
}

/** Runs work once for each point at which its process can freeze, until it reaches no further call. */
export async function forEachFreezePoint(
  run: (point: FreezePoint & { readonly call: number }) => Promise<Pick<FrozenRun<unknown>, "reached">>,
): Promise<number> {
  for (let call = 0; ; call++) {
    for (const when of ["before", "after"] as const) {
      const { reached } = await run({ call, when });
      if (!reached) return call;
    }
  }
}
