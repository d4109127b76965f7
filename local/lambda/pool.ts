import { FunctionFailed, type Sandbox } from "./sandbox.ts";

/** The sandboxes of one function, one per concurrent event up to a maximum. Further events wait in a queue. */
export interface Pool {
  invoke(event: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export function openPool(sizeMax: number, open: () => Sandbox): Pool {
  const all = new Set<Sandbox>();
  const idle: Sandbox[] = [];
  const waiters: ((sandbox: Sandbox | null) => void)[] = [];
  let closed = false;

  const acquire = async (): Promise<Sandbox> => {
    for (;;) {
      if (closed) throw new FunctionFailed("died", "The stack is stopping.");
      const candidate = idle.pop();
      if (candidate?.failure()) {
        all.delete(candidate);
        continue;
      }
      if (candidate) return candidate;
      if (all.size < sizeMax) {
        const sandbox = open();
        all.add(sandbox);
        return sandbox;
      }
      const released = await new Promise<Sandbox | null>((resolve) => waiters.push(resolve));
      if (released) return released;
    }
  };

  const release = (sandbox: Sandbox): void => {
    const usable = !sandbox.failure();
    if (!usable) all.delete(sandbox);
    const next = waiters.shift();
    if (next) next(usable ? sandbox : null);
    else if (usable) idle.push(sandbox);
  };

  return {
    async invoke(event) {
      const sandbox = await acquire();
      try {
        return await sandbox.invoke(event);
      } finally {
        release(sandbox);
      }
    },
    async close() {
      closed = true;
      for (const next of waiters.splice(0)) next(null);
      await Promise.all([...all].map((sandbox) => sandbox.close()));
    },
  };
}
