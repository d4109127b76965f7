import { runScenario } from "./scenario.ts";

// A program of Node.js: runs the scenario with the input of its argument.

process.stdout.write(JSON.stringify(await runScenario(JSON.parse(process.argv[2] ?? ""))));
