import { join } from "node:path";
import { findDynoxide } from "#local-aws/dynamodb/programs.ts";
import type { StackSettings } from "../../local/stack/stack.ts";

/** Settings for a stack of an assembly that a test writes: free ports, no simulator, no terminal output. */
export function assemblySettings(folder: string, assembly: string): StackSettings {
  const unreachableUrl = "http://127.0.0.1:9";
  return {
    port: 0,
    dataDir: join(folder, "data"),
    fresh: false,
    seedAccounts: false,
    strictEgress: false,
    // Elsewhere only an engine that listens on every interface runs.
    exposedEngine: findDynoxide() === null,
    platformUrls: {
      facebook_www: unreachableUrl,
      facebook_graph: unreachableUrl,
      instagram_www: unreachableUrl,
      instagram_api: unreachableUrl,
      instagram_graph: unreachableUrl,
    },
    assembly,
    report: () => {},
  };
}
