#!/usr/bin/env node
import { CliError } from "./cli-error.ts";
import { run } from "./run.ts";
import { printProblem } from "./text/print.ts";

// The program `parley`.

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  printProblem(error.message);
  process.exitCode = 1;
}
