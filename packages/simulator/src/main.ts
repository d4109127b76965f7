#!/usr/bin/env node
import { printError, printLine } from "../../loopback/src/terminal.ts";
import { banner } from "./banner.ts";
import { scenarioCommand } from "./command/scenario.ts";
import { HELP, readSettings } from "./settings.ts";
import { startSimulator } from "./simulator.ts";

/** Runs the simulator as a separate program until SIGINT or SIGTERM, or a command of a simulator that is running. */
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === "scenario" || args[0] === "scenarios") {
    printLine(await scenarioCommand(args, process.env));
    return;
  }
  const settings = readSettings(args, process.env);
  if (settings === null) {
    printLine(HELP);
    return;
  }
  const simulator = await startSimulator(settings.options);
  printLine(banner(simulator.url, settings));
  const stop = (): void => {
    simulator.close().then(
      () => process.exit(0),
      (error: unknown) => {
        printError("The simulator did not stop:", error);
        process.exit(1);
      },
    );
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

main().catch((error: unknown) => {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
