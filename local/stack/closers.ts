/** What has been started, to be ended in the reverse order: whatever was started last leans on what came before. */
export interface CleanupStack {
  defer(close: () => Promise<void> | void): void;
  /** Ends everything once, however often it is called; one that fails does not spare the others. */
  close(): Promise<void>;
}

export function createCleanupStack(report: (line: string) => void): CleanupStack {
  const callbacks: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (let close = callbacks.pop(); close; close = callbacks.pop()) {
      try {
        await close();
      } catch (error) {
        report(`stopping: ${(error as Error).message}`);
      }
    }
  };
  return {
    defer: (close) => void callbacks.push(close),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
