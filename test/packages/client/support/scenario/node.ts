import { WebSocket } from "ws";
import { runScenario } from "./scenario.ts";

// A program of Node.js: runs the scenario with the input of its argument. Node.js 20 has no WebSocket.

const streamOptions = "WebSocket" in globalThis ? {} : { WebSocket };
process.stdout.write(JSON.stringify(await runScenario(JSON.parse(process.argv[2] ?? ""), streamOptions)));
