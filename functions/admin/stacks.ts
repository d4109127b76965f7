import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  type Stack,
} from "@aws-sdk/client-cloudformation";
import { requestOptions, requestTimeouts } from "#base/config/request-times.ts";

/** A deployed stack. */
export interface DeployedStack {
  /** Such as `CREATE_IN_PROGRESS`. */
  readonly status: string;
  /** Of its ARN. */
  readonly account: string;
  readonly region: string;
  /** By their names. */
  readonly outputs: Readonly<Record<string, string>>;
}

export interface Stacks {
  /** The region that is asked. @throws when neither the caller nor the AWS settings name one */
  region(): Promise<string>;
  /** Null when no stack of that name exists in the region. @throws an error of AWS */
  describe(name: string): Promise<DeployedStack | null>;
  /**
   * The name of the stack that a resource belongs to, which its physical id names. Null: to none, or to a deleted one.
   * @throws an error of AWS
   */
  owner(resource: string): Promise<string | null>;
}

/** Reads stacks with the AWS credentials of the process. Null: in the region of the AWS settings. */
export function openStacks(region: string | null): Stacks {
  const client = new CloudFormationClient({
    ...(region === null ? {} : { region }),
    ...requestOptions(requestTimeouts.commands),
  });
  return {
    region: () => client.config.region(),
    async describe(name) {
      try {
        const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
        return stack ? toDeployedStack(stack) : null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async owner(PhysicalResourceId) {
      try {
        const { StackResources: [resource] = [] } = await client.send(
          new DescribeStackResourcesCommand({ PhysicalResourceId }),
        );
        if (resource === undefined) return null;
        // By its id a deleted stack is found, too.
        const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: resource.StackId }));
        return stack === undefined || stack.StackStatus === "DELETE_COMPLETE" ? null : (stack.StackName ?? null);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

/** CloudFormation has no error of its own for a stack that does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationError" && error.message.includes("does not exist");
}

function toDeployedStack({ StackId = "", StackStatus, Outputs = [] }: Stack): DeployedStack {
  const [, , , region = "", account = ""] = StackId.split(":");
  const outputs = Outputs.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue] as const);
  return { status: StackStatus ?? "unknown", account, region, outputs: Object.fromEntries(outputs) };
}
