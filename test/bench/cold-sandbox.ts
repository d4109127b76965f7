import { pathToFileURL } from "node:url";

// The process of a sandbox that starts cold: it loads a bundle, handles one event, reports what both took, and ends.

/** What the process gets: a bundle and its first event. */
export interface ColdStart {
  /** The path of the bundle. */
  readonly file: string;
  /** The name of the global symbol of the runtime overrides. */
  readonly overrides: string;
  readonly event: unknown;
}

/** What it reports. Times are milliseconds, without the start of Node itself. */
export interface ColdResult {
  /** Processor time of the thread until the bundle was loaded, and until the event was handled. */
  readonly importCpu: number;
  readonly totalCpu: number;
  /** The same on the clock, with the time of the emulators. */
  readonly importTime: number;
  readonly totalTime: number;
  /** Whether Node's client of fetch was loaded, a quarter of a cold start. */
  readonly hasFetch: boolean;
  /** What the handler returned, as JSON. */
  readonly result: string;
}

type Handler = (event: unknown, context: object) => Promise<unknown>;

const TIME_LIMIT = 30_000;

process.once("message", async ({ file, overrides, event }: ColdStart) => {
  Object.assign(globalThis, { [Symbol.for(overrides)]: { openEgress: true } });
  const [cpu, start] = [process.threadCpuUsage(), performance.now()];
  const cpuSince = () => {
    const { user, system } = process.threadCpuUsage(cpu);
    return (user + system) / 1_000;
  };
  const { handler } = (await import(pathToFileURL(file).href)) as { handler: Handler };
  const [importCpu, importTime] = [cpuSince(), performance.now() - start];
  const result = await handler(event, { getRemainingTimeInMillis: () => TIME_LIMIT });
  const [totalCpu, totalTime] = [cpuSince(), performance.now() - start];
  const { moduleLoadList } = process as unknown as { moduleLoadList: readonly string[] };
  const hasFetch = moduleLoadList.includes("NativeModule internal/deps/undici/undici");
  const report: ColdResult = { importCpu, importTime, totalCpu, totalTime, hasFetch, result: JSON.stringify(result) };
  process.send?.(report, () => process.exit());
});
