import { AsyncLocalStorage } from "node:async_hooks";
import crypto, { createHmac, createSecretKey, KeyObject, timingSafeEqual, type webcrypto } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import type { Millis } from "#base/kernel/time.ts";
import { seededRandom } from "../../support/flows/races/deterministic-scheduler.ts";
import { currentProcess, processClock, type WorldProcess } from "../../support/world/processes.ts";

// While a history runs, this process has no time and no chance of its own: timers, clocks and random numbers follow
// from the history, so that the same history always runs in the same way.

export interface VirtualTimer {
  readonly at: Millis;
  readonly process: WorldProcess | null;
  readonly fire: () => void;
}

interface Options {
  readonly seed: number;
  readonly now: () => Millis;
}

/** @returns the timers of all processes, and a function that gives this process its own time and chance back */
export function virtualizeProcess({ seed, now }: Options): { timers: Set<VirtualTimer>; restore: () => void } {
  const timers = new Set<VirtualTimer>();
  const random = seededRandom(seed);
  const original = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    random: Math.random,
    performanceNow: performance.now,
    getRandomValues: globalThis.crypto.getRandomValues,
    randomBytes: crypto.randomBytes,
    dateNow: Date.now,
  };

  const setVirtualTimeout = (callback: (...args: unknown[]) => void, delay: Millis = 0, ...args: unknown[]) => {
    const inContext = AsyncLocalStorage.snapshot();
    const timer: VirtualTimer = {
      // Clocks show whole milliseconds.
      at: now() + Math.max(1, Math.ceil(Number(delay) || 0)),
      process: currentProcess(),
      fire: () => inContext(() => callback(...args)),
    };
    timers.add(timer);
    const handle = { timer, ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle;
  };
  globalThis.setTimeout = setVirtualTimeout as never;
  globalThis.clearTimeout = ((handle: { timer?: VirtualTimer } | undefined) => {
    if (handle?.timer) timers.delete(handle.timer);
  }) as never;
  Math.random = random;
  performance.now = now;
  Date.now = now;
  const fill = <T extends ArrayBufferView>(view: T): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
    return view;
  };
  globalThis.crypto.getRandomValues = fill as never;
  crypto.randomBytes = ((size: number) => fill(Buffer.alloc(size))) as never;
  const { subtle } = globalThis.crypto;
  Object.assign(subtle, signaturesAtOnce);
  syncBuiltinESMExports();
  setRuntimeOverrides({ now: processClock(now), openEgress: true });

  return {
    timers,
    restore: () => {
      globalThis.setTimeout = original.setTimeout;
      globalThis.clearTimeout = original.clearTimeout;
      Math.random = original.random;
      performance.now = original.performanceNow;
      Date.now = original.dateNow;
      globalThis.crypto.getRandomValues = original.getRandomValues;
      crypto.randomBytes = original.randomBytes;
      for (const name of Object.keys(signaturesAtOnce))
        delete (subtle as Partial<webcrypto.SubtleCrypto>)[name as never];
      syncBuiltinESMExports();
      setRuntimeOverrides({});
    },
  };
}

const hmac = (key: webcrypto.CryptoKey, data: NodeJS.ArrayBufferView) =>
  createHmac("sha256", KeyObject.from(key)).update(data).digest();

/** What `jose` calls for HS256. The pool of threads would answer after a number of turns that no seed decides. */
const signaturesAtOnce = {
  importKey: async (
    _format: "raw",
    bytes: NodeJS.ArrayBufferView,
    algorithm: webcrypto.HmacImportParams,
    _isExtractable: boolean,
    usages: webcrypto.KeyUsage[],
    // Node reads the bytes of extractable keys alone, without a warning.
  ) => createSecretKey(bytes).toCryptoKey(algorithm, true, usages),
  sign: async (_algorithm: unknown, key: webcrypto.CryptoKey, data: NodeJS.ArrayBufferView) => hmac(key, data),
  verify: async (
    _algorithm: unknown,
    key: webcrypto.CryptoKey,
    signature: NodeJS.ArrayBufferView,
    data: NodeJS.ArrayBufferView,
  ) => {
    const expected = hmac(key, data);
    return signature.byteLength === expected.byteLength && timingSafeEqual(signature, expected);
  },
};
