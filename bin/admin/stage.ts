import { fileURLToPath } from "node:url";
import { env, queues, queueUrlNames } from "#base/config/names.ts";
import { type DeployedStack, openStacks, type Stacks } from "../../functions/admin/stacks.ts";
import type { Environment } from "../../functions/admin/tenant-ports.ts";
import { parseSettings, SettingError, type Settings } from "../../lib/config/settings.ts";
import { DEFAULT_STAGE, stackNames } from "../../lib/config/stack-names.ts";
import { readStage, requireStageTarget, type Stage } from "../../lib/config/stage.ts";
import { CliError } from "./cli-error.ts";

export const STAGES = fileURLToPath(new URL("../../stages", import.meta.url));

/** The variables that the outputs of the stacks replace. */
const ofDataStack = {
  TableName: env.table,
  KeyId: env.keyId,
  UploadBucketName: env.uploadBucket,
  JournalBucketName: env.journalBucket,
  RootSecretId: env.rootSecretId,
  PlatformSecretId: env.platformSecretId,
} as const;
const ofServiceStack: Readonly<Record<string, string>> = Object.fromEntries(
  queues.map((name) => [`${name}QueueUrl`, env[queueUrlNames[name]]]),
);
/** Of a later release than the others, or only where the setting is set. */
const optionalOfServiceStack = { BaseUrl: env.baseUrl, PlatformUrls: env.platformUrls } as const;

/** What finding a stage depends on. */
export interface StageSources {
  /** The variables of the shell. */
  readonly shell: Environment;
  /** The folder of the files of stages. */
  readonly folder: string;
  readonly openStacks: (region: string | null) => Stacks;
}

/**
 * The variables that the commands need for a stage: those of its stacks, the region, and the shell's own of AWS. The
 * shell's variables of Parley are ignored, because they may name another deployment.
 * @throws CliError of one line for an unknown stage, another account or region, and stacks that cannot be read
 */
export async function stageEnvironment(
  name: string,
  { shell, folder, openStacks: open }: StageSources = { shell: process.env, folder: STAGES, openStacks },
): Promise<Environment> {
  const stage = findStage(name, folder, shell);
  const stacks = open(stage.region);
  const names = stackNames(stage.name);
  const data = await readStack(stacks, names.data, stage);
  const service = await readStack(stacks, names.service, stage);
  return {
    ...Object.fromEntries(Object.entries(shell).filter(([variable]) => !variable.startsWith("PARLEY_"))),
    AWS_REGION: data.region,
    ...toVariables(data, names.data, ofDataStack),
    ...toVariables(service, names.service, ofServiceStack),
    // Those that the functions use where a setting names existing ones.
    ...Object.fromEntries(
      Object.entries(ofDataStack).flatMap(([output, variable]) => {
        const value = service.outputs[output];
        return value ? [[variable, value]] : [];
      }),
    ),
    ...Object.fromEntries(
      Object.entries(optionalOfServiceStack).map(([output, variable]) => [variable, service.outputs[output]]),
    ),
  };
}

/** A stack of the stage that is not deployed. */
export class StackMissing extends CliError {
  readonly stackName: string;

  constructor(stack: string, message: string) {
    super(message);
    this.stackName = stack;
  }
}

/**
 * The stage of that name with its settings.
 * @throws CliError of one line for an unknown stage, a file that does not fit, and another region
 */
export function findStage(name: string, folder: string, shell: Environment): Stage {
  try {
    const stage = readStage(folder, name);
    requireStageTarget(stage, {
      account: undefined,
      region: shell.AWS_REGION,
      accountSource: "",
      regionSource: "AWS_REGION",
    });
    return stage;
  } catch (error) {
    if (error instanceof SettingError) throw new CliError(error.message);
    throw error;
  }
}

/** The settings of a stage's file. @throws CliError of one line for an invalid one */
export function readSettings(stage: Stage): Settings {
  try {
    return parseSettings(stage.context);
  } catch (error) {
    if (error instanceof SettingError) throw new CliError(error.message);
    throw error;
  }
}

async function readStack(stacks: Stacks, name: string, stage: Stage): Promise<DeployedStack> {
  const region = await regionOf(stacks, stage);
  const stack = await stacks.describe(name).catch((error: unknown) => {
    throw toCliError(error, name, region);
  });
  if (stack === null) {
    const flag = stage.name === DEFAULT_STAGE ? "" : ` -c parley:stage=${stage.name}`;
    const place = stage.account === null ? "set AWS_REGION to its region" : `use credentials of ${stage.account}`;
    throw new StackMissing(
      name,
      `Stack ${name} does not exist in region ${region}. Deploy it with npx cdk deploy --all${flag}, or ${place}.`,
    );
  }
  if (stage.account !== null && stack.account !== stage.account) {
    throw new CliError(
      `Stage ${stage.name} is in account ${stage.account}, but your AWS credentials are of ${stack.account}. Use credentials of ${stage.account}, or correct stages/${stage.name}.json.`,
    );
  }
  return stack;
}

async function regionOf(stacks: Stacks, { name }: Stage): Promise<string> {
  return await stacks.region().catch(() => {
    throw new CliError(`Missing region. Set AWS_REGION, or write stages/${name}.json.`);
  });
}

function toVariables(
  { outputs, status }: DeployedStack,
  stack: string,
  variables: Readonly<Record<string, string>>,
): Environment {
  const missing = Object.keys(variables).filter((output) => !outputs[output]);
  if (missing.length > 0) {
    throw new CliError(
      `Stack ${stack} has no output ${missing.join(", ")} (its status is ${status}). Deploy this version, then try again.`,
    );
  }
  return Object.fromEntries(Object.entries(variables).map(([output, variable]) => [variable, outputs[output]]));
}

const DENIED = new Set(["AccessDenied", "AccessDeniedException"]);
/** Of credentials that AWS does not know, in the region or at all. */
const NOT_ACCEPTED = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "IncompleteSignature",
  "InvalidClientTokenId",
  "OptInRequired",
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
]);

/** Each error of AWS in one line. */
function toCliError(error: unknown, stack: string, region: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, cause } = error as NodeJS.ErrnoException;
  if (DENIED.has(error.name)) {
    return new CliError(
      `Access denied to stack ${stack} in region ${region}. Use credentials that may call cloudformation:DescribeStacks.`,
    );
  }
  if (NOT_ACCEPTED.has(error.name)) {
    return new CliError(
      `AWS does not accept your credentials in region ${region} (${error.name}). Renew them, and check the region.`,
    );
  }
  if (error.name === "CredentialsProviderError") {
    return new CliError("Missing AWS credentials. Set AWS_PROFILE, or sign in with aws sso login.");
  }
  const reason = code ?? (cause as NodeJS.ErrnoException | undefined)?.code ?? error.name;
  return new CliError(
    `Stack ${stack} cannot be read in region ${region} (${reason}). Check the region and your connection, then try again.`,
  );
}
