import { printableText } from "../../shared/kernel/printable.ts";
import { banner } from "./banner.ts";
import { HELP, readSettings } from "./settings.ts";
import { startSimulator } from "./simulator.ts";

/** Runs the simulator as a separate program until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === null) {
    console.log(HELP);
    return;
  }
  const simulator = await startSimulator(settings.options);
  console.log(banner(simulator.url, settings));
  const stop = (): void => {
    simulator.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? printableText(error.message) : error);
  process.exitCode = 1;
});
