/**
 * What the process that hosts the code may override. Lambda overrides nothing. The local stack supplies a clock that can
 * be turned, and allows webhook deliveries to loopback. No environment variable does either.
 */
export interface RuntimeOverrides {
  /** The present instant, milliseconds since the epoch. */
  now?: () => number;
  openEgress?: boolean;
}

const overridesKey = Symbol.for("parley.host");
const globals = globalThis as { [overridesKey]?: RuntimeOverrides };

/** Empty in a deployed function. */
export function runtimeOverrides(): RuntimeOverrides {
  return globals[overridesKey] ?? {};
}

/** The host calls this once, before it loads a function. */
export function setRuntimeOverrides(overrides: RuntimeOverrides): void {
  globals[overridesKey] = overrides;
}
