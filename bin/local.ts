// `npm run local`: runs all of Parley on this machine.
import { openSeedPorts } from "../local/stack/seed-ports.ts";
import { readSettings } from "../local/stack/settings.ts";
import { runStackProcess } from "../local/stack/stack-process.ts";

await runStackProcess(() => ({ ...readSettings(process.argv.slice(2), process.env), seedPorts: openSeedPorts }));
