/** Starts parts that register with `cleanup`. If the start fails, and on `close`, the parts end in reverse order. */
export async function startClosable<T>(
  start: (cleanup: AsyncDisposableStack) => Promise<T>,
  report: (line: string) => void,
): Promise<T & { close(): Promise<void> }> {
  const cleanup = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= cleanup.disposeAsync().catch((error) => {
      for (const { message } of disposalErrors(error)) report(`Error while stopping: ${message}`);
    });
    return closing;
  };
  try {
    return { ...(await start(cleanup)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The errors of all disposals: each failed one after the first wraps those before it. */
function disposalErrors(error: unknown): Error[] {
  if (!(error instanceof SuppressedError)) return [error as Error];
  return [...disposalErrors(error.suppressed), ...disposalErrors(error.error)];
}
