// `npm run local`: the whole of Parley on this machine.
import { openSeedPorts } from "../local/seed-ports.ts";
import { readSettings } from "../local/settings.ts";
import { runStackProcess } from "../local/stack-process.ts";

await runStackProcess(() => ({ ...readSettings(process.argv.slice(2), process.env), seedPorts: openSeedPorts }));
