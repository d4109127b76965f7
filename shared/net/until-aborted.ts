/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted, whichever comes first. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // What arrives after the abort is dropped here, so that it never surfaces as an unhandled rejection.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
