import { startSimulator } from "./simulator.ts";

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: set it and start again`);
  return value;
}

/** Runs the simulator as a separate program until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const { SIM_PORT = "4100", SIM_STATE, SIM_APP_ID } = process.env;
  if (!/^\d{1,5}$/.test(SIM_PORT)) throw new Error("SIM_PORT must be a port number");
  const simulator = await startSimulator({
    port: Number(SIM_PORT),
    webhookBase: required("SIM_WEBHOOK_BASE"),
    metaSecret: required("SIM_META_SECRET"),
    instagramSecret: required("SIM_INSTAGRAM_SECRET"),
    verifyToken: required("SIM_VERIFY_TOKEN"),
    ...(SIM_STATE ? { statePath: SIM_STATE } : {}),
    ...(SIM_APP_ID ? { appId: SIM_APP_ID } : {}),
  });
  console.log(`Platform simulator: ${simulator.url}`);
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
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
