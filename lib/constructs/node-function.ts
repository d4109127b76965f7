import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  CfnFunction,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { functionTimeouts } from "#base/config/function-times.ts";
import type { FunctionName } from "#base/config/names.ts";

/** How long a run of a schedule waits for a free environment. */
const RUN_AGE_MAX = Duration.minutes(10);

export interface NodeFunctionProps {
  readonly description: string;
  /** The bundle, with its handler in `index.mjs`. */
  readonly code: Code;
  /** Lambda assigns CPU in proportion to memory. */
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly reservedConcurrency?: number;
  /** True for a function that sends to the queue it reads. Lambda stops such a loop after 16 rounds by default. */
  readonly sendsToItself?: boolean;
  /** True for a function of schedules, whose next run does what a failed one did not. By default Lambda repeats a run twice. */
  readonly runsOnce?: boolean;
}

/** One Lambda function. Its role starts with one permission: writing to its own log group. */
export class NodeFunction extends LambdaFunction {
  readonly functionRole: Role;

  constructor(scope: Construct, id: FunctionName, props: NodeFunctionProps) {
    const functionRole = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    logGroup.grantWrite(functionRole);
    super(scope, id, {
      description: props.description,
      code: props.code,
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: Duration.millis(functionTimeouts[id]),
      memorySize: props.memoryMegabytes,
      environment: { ...props.environment },
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.sendsToItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...(props.runsOnce ? { retryAttempts: 0, maxEventAge: RUN_AGE_MAX } : {}),
      role: functionRole,
      logGroup,
      // Omits the START, END and REPORT lines to save cost. Timeouts and crashes are still logged.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    this.functionRole = functionRole;
    // The logical id is the function's name, without a hash.
    if (this.node.defaultChild instanceof CfnFunction) this.node.defaultChild.overrideLogicalId(id);
  }
}
