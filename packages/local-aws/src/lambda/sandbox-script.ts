import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const ENTRY = fileURLToPath(new URL("./sandbox-entry.ts", import.meta.url));

let script: URL | undefined;

/**
 * The entry of every sandbox as one JavaScript module. A thread that strips types itself needs 45 ms of CPU and 11 MB
 * more, which counts with a hundred sandboxes.
 */
export function sandboxScript(): URL {
  script ??= new URL(`data:text/javascript,${encodeURIComponent(bundleEntry())}`);
  return script;
}

function bundleEntry(): string {
  const options = { bundle: true, format: "esm", platform: "node", write: false, logLevel: "silent" } as const;
  return buildSync({ entryPoints: [ENTRY], ...options }).outputFiles[0]?.text ?? "";
}
