// A stack of a planted assembly as a process of its own: `node planted-main.ts <assembly> <data folder> <port>`.
import { dirname } from "node:path";
import { runStackProcess } from "../../local/stack/stack-process.ts";
import { plantedSettings } from "./planted.ts";

const [assembly = "", dataDir = "", port = "0"] = process.argv.slice(2);
await runStackProcess(() => ({ ...plantedSettings(dirname(dataDir), assembly), dataDir, port: Number(port) }));
