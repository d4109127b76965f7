// `npm run local`: runs all of Parley on this machine.
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Before anything else is imported. The sandboxes and the synthesis read the variable: a start that finds the compiled
// code of an earlier one takes a quarter less CPU time. The folder is the default of Node.js.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");
enableCompileCache();

const { readSettings, requestsHelp } = await import("../local/stack/settings.ts");
const flags = process.argv.slice(2);

if (requestsHelp(flags)) {
  const { LOCAL_HELP } = await import("../local/stack/help.ts");
  console.log(LOCAL_HELP);
} else {
  const { openSeedPorts } = await import("../local/stack/seed-ports.ts");
  const { runStackProcess } = await import("../local/stack/stack-process.ts");
  await runStackProcess(() => ({ ...readSettings(flags, process.env), seedPorts: openSeedPorts }));
}
