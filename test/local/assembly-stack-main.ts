// Runs a stack of a test assembly in a separate process: `node assembly-stack-main.ts <assembly> <data folder> <port>`.
import { dirname } from "node:path";
import { runStackProcess } from "../../local/stack/stack-process.ts";
import { assemblySettings } from "./assembly-settings.ts";

const [assembly = "", dataDir = "", port = "0"] = process.argv.slice(2);
await runStackProcess(() => ({ ...assemblySettings(dirname(dataDir), assembly), dataDir, port: Number(port) }));
