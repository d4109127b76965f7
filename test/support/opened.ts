import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Ends what a test opened. */
type Close<T> = (opened: T) => unknown;

/**
 * Opens what the tests of a file, or of the surrounding `describe`, share: before the first of them, and closes it
 * after the last. Use the result only within tests and other hooks, which run in the order of the file.
 *
 * @param open runs once
 * @param close without it, the `close` or `stop` of what was opened, or its disposal, if it has one
 */
export function openedOnce<T extends object>(open: () => T | Promise<T>, close: Close<T> = closeOf): T {
  return opened(open, close, beforeAll, afterAll);
}

/** As `openedOnce`, but again for each test. */
export function openedEach<T extends object>(open: () => T | Promise<T>, close: Close<T> = closeOf): T {
  return opened(open, close, beforeEach, afterEach);
}

function opened<T extends object>(
  open: () => T | Promise<T>,
  close: Close<T>,
  before: (hook: () => Promise<void>) => void,
  after: (hook: () => Promise<void>) => void,
): T {
  let value: T | undefined;
  before(async () => {
    value = await open();
  });
  after(async () => {
    if (value) await close(value);
    value = undefined;
  });
  return forwardTo(() => {
    if (!value) throw new Error("This is opened before the tests: use it only within a test or a later hook.");
    return value;
  });
}

function closeOf(value: object & { close?(): unknown; stop?(): unknown } & Partial<AsyncDisposable>): unknown {
  if (value.close) return value.close();
  return value.stop ? value.stop() : value[Symbol.asyncDispose]?.();
}

/** An object that has the properties of another, which is not there yet. */
function forwardTo<T extends object>(target: () => T): T {
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(target(), key),
    set: (_, key, value) => Reflect.set(target(), key, value),
    has: (_, key) => Reflect.has(target(), key),
    ownKeys: () => Reflect.ownKeys(target()),
    getOwnPropertyDescriptor(_, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target(), key);
      // The proxy's own target has no properties, so that none may be called fixed.
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}
