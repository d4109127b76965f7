import { type DataFolder as AnyDataFolder, openDataFolder } from "#local-aws/run/data-folder.ts";

/** Every file and folder that a stack writes into its data folder. `--fresh` removes these and nothing else. */
const managedFiles = [
  "access.jsonl",
  "aws-config",
  "aws-credentials",
  "cdk.out",
  "clock.json",
  "control-token",
  "dynamodb",
  "emulators",
  "environment.json",
  "functions.log",
  // The command listen writes it.
  "listen-secret",
  "local.json",
  "platform-secrets.json",
  "provisioned.json",
  "seed.json",
  "simulator.json",
] as const;

export type DataFolder = AnyDataFolder<(typeof managedFiles)[number]>;

/** Opens and locks the data folder of a stack. */
export function lockDataFolder(folder: string, fresh: boolean): DataFolder {
  return openDataFolder({ folder, fresh, files: managedFiles, setting: "--data or PARLEY_DATA" });
}
