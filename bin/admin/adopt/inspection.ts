import type { Stacks } from "../../../functions/admin/stacks.ts";
import { call, describeAwsFailure, isError } from "../aws/calls.ts";
import { physicalId } from "./existing-resources.ts";
import { type ExistingResource, type Lack, Misfit } from "./resource.ts";

/** What the inspection of a resource found. */
export type Inspection =
  | { readonly resource: ExistingResource; readonly lacks: readonly Lack[]; readonly problem: null }
  | { readonly resource: ExistingResource; readonly lacks: readonly []; readonly problem: Problem };

/** Why a resource cannot be adopted, or not be read: one line with the fix. */
export interface Problem {
  readonly text: string;
  /** False: AWS did not answer, or denies access, so that it is unknown. */
  readonly isMisfit: boolean;
}

/** @param dataStack the name of the stage's own data stack, to whose resources a setting may refer */
export async function inspectResources(
  resources: readonly ExistingResource[],
  { stacks, dataStack }: { readonly stacks: Stacks; readonly dataStack: string },
): Promise<Inspection[]> {
  return await Promise.all(
    resources.map(async (resource): Promise<Inspection> => {
      try {
        await requireNoOwner(resource, stacks, dataStack);
        return { resource, lacks: await resource.inspect(), problem: null };
      } catch (error) {
        return { resource, lacks: [], problem: toProblem(error) };
      }
    }),
  );
}

/** Two stages that use one table would take each other's work. */
async function requireNoOwner(resource: ExistingResource, stacks: Stacks, dataStack: string): Promise<void> {
  const owner = await call("cloudformation:DescribeStackResources", stacks.owner(physicalId(resource)));
  if (owner === null || owner === dataStack) return;
  throw new Misfit(`it belongs to the stack ${owner}. Name a copy, or delete that stack first, which leaves its data.`);
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Misfit) return { text: error.message, isMisfit: true };
  // In the first minutes after a table was restored.
  if (isError(error, "ContinuousBackupsUnavailableException")) {
    return { text: "DynamoDB prepares the backups of the table. Wait a minute, then try again.", isMisfit: false };
  }
  const { finding, fix } = describeAwsFailure(error);
  return { text: `${finding} ${fix}`, isMisfit: false };
}
