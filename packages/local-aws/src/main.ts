#!/usr/bin/env node
import { printError, printLine } from "../../loopback/src/terminal.ts";
import { PRIVATE_UMASK } from "./access/private-files.ts";
import { type LocalAws, startLocalAws } from "./local-aws.ts";
import { HELP, readSettings } from "./settings.ts";
import { LocalRefusal } from "./support/local-refusal.ts";

/** Runs a template until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const options = readSettings(process.argv.slice(2));
  if (options === null) {
    printLine(HELP);
    return;
  }
  process.umask(PRIVATE_UMASK);
  const starting = startLocalAws(options);
  const stop = (): void => {
    const exit = (): never => process.exit(0);
    starting.then((aws) => aws.close()).then(exit, exit);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  printLine(banner(await starting));
}

function banner({ url, servicesUrl, dynamodbUrl, socketUrl, dataDir }: LocalAws): string {
  const rows = [
    ["HTTP API", url],
    ["WebSocket API", socketUrl],
    ["Services", servicesUrl],
    ["DynamoDB", dynamodbUrl],
    ["AWS CLI", `AWS_CONFIG_FILE=${dataDir}/aws-config AWS_SHARED_CREDENTIALS_FILE=${dataDir}/aws-credentials`],
    ["Control token", `${dataDir}/control-token`],
    ["Output", `${dataDir}/functions.log`],
  ];
  const table = rows.map(([name = "", value]) => `  ${name.padEnd(15)}${value}`);
  return ["", "The template is running.", "", ...table, "", "Press Ctrl-C to stop.", ""].join("\n");
}

main().catch((error: unknown) => {
  if (error instanceof LocalRefusal) printError(error.message);
  else printError("The template could not be started:", error);
  process.exit(1);
});
