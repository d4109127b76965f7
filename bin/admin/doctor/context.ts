import { env } from "#base/config/names.ts";
import { requestOptions } from "#base/config/request-times.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { openStacks } from "../../../functions/admin/stacks.ts";
import { clientSettings, type Environment } from "../../../functions/admin/tenant-ports.ts";
import type { Settings } from "../../../lib/config/settings.ts";
import type { Stage } from "../../../lib/config/stage.ts";
import { CliError } from "../cli-error.ts";
import { localStack } from "../local-stack.ts";
import { findStage, readSettings, STAGES, StackMissing, type StageSources, stageEnvironment } from "../stage.ts";
import { skipped, type Verdict } from "./verdict.ts";

/** The options of a client of AWS. */
type ClientOptions = ReturnType<typeof clientSettings>["services"];

/** What the checks depend on. */
export interface DoctorContext {
  readonly isLocal: boolean;
  /** Null for the local stack, and for a deployment that variables name. */
  readonly stage: Stage | null;
  /** Those of the stage's file. Null in the same cases. */
  readonly settings: Settings | null;
  /** The variables of the deployment. Null before the first one, and when its stacks cannot be read. */
  readonly environment: Environment | null;
  /** Why there is no deployment to check. */
  readonly stackProblem: Error | null;
  readonly services: ClientOptions;
  readonly tableService: ClientOptions;
}

/** Two attempts end before the time limit of a check. */
const ATTEMPT_TIMEOUT: Millis = 4 * SECOND;
const ATTEMPTS_MAX = 2;

/**
 * Finds what to check: the stage, else the deployment that the variables of the shell name, else the local stack.
 * @throws CliError of one line for an unknown stage, a region that differs, an invalid setting, and when no stack runs
 */
export async function openContext(
  stageName: string | undefined,
  sources: StageSources = { shell: process.env, folder: STAGES, openStacks },
): Promise<DoctorContext> {
  const { shell } = sources;
  if (stageName !== undefined) {
    const stage = findStage(stageName, sources.folder, shell);
    const settings = readSettings(stage);
    const region = stage.region ?? shell.AWS_REGION;
    const stacks = await stageEnvironment(stageName, sources).catch((error: unknown) => {
      if (error instanceof CliError) return error;
      throw error;
    });
    const environment = stacks instanceof Error ? null : stacks;
    const stackProblem = stacks instanceof Error ? stacks : null;
    return {
      isLocal: false,
      stage,
      settings,
      environment,
      stackProblem,
      ...clients(environment ?? { ...shell, AWS_REGION: region }),
    };
  }
  if (shell[env.table]) return open(shell, false);
  return open(localStack().environment, true);
}

function open(environment: Environment, isLocal: boolean): DoctorContext {
  return { isLocal, stage: null, settings: null, environment, stackProblem: null, ...clients(environment) };
}

function clients(environment: Environment): Pick<DoctorContext, "services" | "tableService"> {
  const { services, tableService } = clientSettings(environment);
  const limits = requestOptions(ATTEMPT_TIMEOUT, ATTEMPTS_MAX);
  return { services: { ...services, ...limits }, tableService: { ...tableService, ...limits } };
}

/** The verdict of a check that needs a deployment. */
export function notDeployed({ stackProblem }: DoctorContext): Verdict {
  return skipped(stackProblem instanceof StackMissing ? "Not deployed yet." : "The stacks cannot be read.");
}

/** ` -c parley:stage=NAME`, for a command of the CDK. */
export function stageContext({ stage }: DoctorContext): string {
  return stage === null || stage.name === "default" ? "" : ` -c parley:stage=${stage.name}`;
}
