// Starts the worker thread of a sandbox. Plain JavaScript, because the cache also holds code without its types: only
// what is loaded before it is enabled needs the type stripper, which takes 40 ms of CPU time per thread.

import { enableCompileCache } from "node:module";
import { workerData } from "node:worker_threads";

if (workerData.compileCache) enableCompileCache(workerData.compileCache);
await import("./sandbox-entry.ts");
