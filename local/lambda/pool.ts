import { FunctionFailed, type Sandbox } from "./sandbox.ts";

/** The sandboxes of one function: as many as there are events at once, up to a number; further events wait in line. */
export interface Pool {
  invoke(event: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export function openPool(sizeMax: number, open: () => Sandbox): Pool {
  const all = new Set<Sandbox>();
  const idle: Sandbox[] = [];
  const line: ((sandbox: Sandbox | null) => void)[] = [];
  let closed = false;

  const take = async (): Promise<Sandbox> => {
    for (;;) {
      if (closed) throw new FunctionFailed("died", "The stack is stopping.");
      const free = idle.pop();
      if (free?.spent()) {
        all.delete(free);
        continue;
      }
      if (free) return free;
      if (all.size < sizeMax) {
        const fresh = open();
        all.add(fresh);
        return fresh;
      }
      const handed = await new Promise<Sandbox | null>((resolve) => line.push(resolve));
      if (handed) return handed;
    }
  };

  const giveBack = (sandbox: Sandbox): void => {
    const usable = !sandbox.spent();
    if (!usable) all.delete(sandbox);
    const next = line.shift();
    if (next) next(usable ? sandbox : null);
    else if (usable) idle.push(sandbox);
  };

  return {
    async invoke(event) {
      const sandbox = await take();
      try {
        return await sandbox.invoke(event);
      } finally {
        giveBack(sandbox);
      }
    },
    async close() {
      closed = true;
      for (const next of line.splice(0)) next(null);
      await Promise.all([...all].map((sandbox) => sandbox.close()));
    },
  };
}
