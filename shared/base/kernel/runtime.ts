/**
 * Overrides by the process that hosts the code. Lambda sets none. The local stack sets an adjustable clock and allows
 * webhook deliveries to loopback. No environment variable can do either.
 */
export interface RuntimeOverrides {
  /** The current time in milliseconds since the epoch. */
  now?: () => number;
  openEgress?: boolean;
}

/** The name of the global symbol. */
export const RUNTIME_OVERRIDES = "parley.host";
const overridesKey: unique symbol = Symbol.for(RUNTIME_OVERRIDES);
const globals = globalThis as { [overridesKey]?: RuntimeOverrides };

/** Empty in a deployed function. */
export function runtimeOverrides(): RuntimeOverrides {
  return globals[overridesKey] ?? {};
}

/** Called once by the host, before it loads a function. */
export function setRuntimeOverrides(overrides: RuntimeOverrides): void {
  globals[overridesKey] = overrides;
}
