import { startEmulators } from "../../../../local/emulators/server.ts";

// Runs the emulators in a separate process, which tests kill. The argument is the data folder. It prints the URL.
const emulators = await startEmulators({ port: 0, dataDir: process.argv[2] ?? "", now: () => Date.now() });
process.stdout.write(`${emulators.url}\n`);
