import { startEmulators } from "#local-aws/emulators/server.ts";
import { testAccessKeys } from "../../../../support/access/access-keys.ts";

// Runs the emulators in a separate process, which tests kill. The argument is the data folder. It prints the URL.
const emulators = await startEmulators({
  port: 0,
  dataDir: process.argv[2] ?? "",
  now: () => Date.now(),
  accessKeys: testAccessKeys,
});
process.stdout.write(`${emulators.url}\n`);
