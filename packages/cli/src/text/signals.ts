/** Resolves at the first signal. npm forwards a signal that the terminal also sends, so the second one is ignored. */
export function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}
