import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** What every walk passes: the kernel, the frames and the composition. */
const COMMON =
  /^(shared\/(base\/(kernel|table|queues)\/|http\/|platforms\/platforms\.ts$)|functions\/(worker\/|support\/|ports\/|(compose|compose-all|host)\.ts$|[a-z-]+\/ports\.ts$))/;

/** The files of the product in which a walk executes a function, and where they stand. */
export interface Walk {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** A feature with its layers is one room, and so is any other folder. */
  readonly rooms: readonly string[];
}

const FEATURE = /^shared\/features\/[^/]+/;
const folderOf = (file: string) => file.slice(0, file.lastIndexOf("/"));
const roomOf = (file: string) => FEATURE.exec(file)?.[0] ?? folderOf(file);

/** Observes which functions of this process are called, by the coverage of V8. */
export async function observeCalls() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");

  async function takeFiles(): Promise<string[]> {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result.flatMap(({ url, functions }) => {
      // A module's own function runs when it is loaded, and has no name.
      const isCalled = functions.some(
        ({ functionName, ranges: [range] }) => functionName !== "" && range && range.count > 0,
      );
      return isCalled && url.startsWith("file:") ? [relative(PROJECT, fileURLToPath(url))] : [];
    });
  }

  return {
    /** Runs a walk. Nothing else may run at the same time. */
    async walk(work: () => Promise<unknown>): Promise<Walk> {
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
      // What was called before does not count.
      await takeFiles();
      await work();
      const files = (await takeFiles())
        .filter((file) => /^(shared|functions)\//.test(file) && !COMMON.test(file))
        .sort();
      await session.post("Profiler.stopPreciseCoverage");
      return { files, folders: [...new Set(files.map(folderOf))], rooms: [...new Set(files.map(roomOf))] };
    },
    close: () => session.disconnect(),
  };
}
