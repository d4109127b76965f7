import { startEmulators } from "../../../../local/emulators/server.ts";

// The emulators as a process of their own, to be killed. The data directory is its one argument; it says its URL.
const emulators = await startEmulators({ port: 0, dataDir: process.argv[2] ?? "", now: () => Date.now() });
process.stdout.write(`${emulators.url}\n`);
