// `bin/local.ts` with a synthesized assembly: `node stack-main.ts <assembly> [flags]`.
import { openSeedPorts } from "../../../local/stack/seed-ports.ts";
import { readSettings } from "../../../local/stack/settings.ts";
import { runStackProcess } from "../../../local/stack/stack-process.ts";

const [assembly = "", ...flags] = process.argv.slice(2);
await runStackProcess(() => ({ ...readSettings(flags, process.env), seedPorts: openSeedPorts, assembly }));
