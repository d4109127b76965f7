/** What has been started, to be ended in the reverse order: whatever was started last leans on what came before. */
export interface Closers {
  add(close: () => Promise<void> | void): void;
  /** Ends everything once, however often it is called; one that fails does not spare the others. */
  close(): Promise<void>;
}

export function openClosers(report: (line: string) => void): Closers {
  const open: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (let close = open.pop(); close; close = open.pop()) {
      try {
        await close();
      } catch (error) {
        report(`stopping: ${(error as Error).message}`);
      }
    }
  };
  return {
    add: (close) => void open.push(close),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
