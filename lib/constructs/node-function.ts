import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  CfnFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { type ICommandHooks, LogLevel, NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { FunctionName } from "../../shared/config/names.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Packages written for CommonJS call `require` for Node's own modules, which an ES module does not have. */
const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

const folders: Readonly<Record<FunctionName, string>> = {
  Api: "api",
  Verify: "verify",
  Intake: "intake",
  Ingest: "ingest",
  Deliver: "deliver",
  Profile: "profile",
  Erase: "erase",
  Sweep: "sweep",
  DeadLetters: "dead-letters",
};

export interface NodeFunctionProps {
  readonly description: string;
  readonly timeout: Duration;
  /** Megabytes; Lambda gives processor time in proportion. */
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly reservedConcurrency?: number;
  /** It puts messages into the queue that it reads, which Lambda would take for a mistake after sixteen in a row. */
  readonly sendsToItself?: boolean;
  /** A script of the repository that writes a folder of its own beside the bundle, whose path is its one argument. */
  readonly postBuild?: { readonly folder: string; readonly script: string };
}

/**
 * One Lambda function from `functions/`, bundled alone with everything it imports, the AWS SDK included: what runs is
 * what was tested. Its role begins with nothing but writing to its own log group.
 */
export class NodeFunction extends NodejsFunction {
  readonly functionRole: Role;
  readonly timeoutAfter: Duration;

  constructor(scope: Construct, id: FunctionName, props: NodeFunctionProps) {
    const functionRole = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: RetentionDays.TWO_WEEKS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    logGroup.grantWrite(functionRole);
    super(scope, id, {
      description: props.description,
      entry: join(PROJECT, "functions", folders[id], "handler.ts"),
      handler: "handler",
      projectRoot: PROJECT,
      depsLockFilePath: join(PROJECT, "package-lock.json"),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      timeout: props.timeout,
      memorySize: props.memoryMegabytes,
      environment: { ...props.environment },
      ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
      ...(props.sendsToItself ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      role: functionRole,
      logGroup,
      // START, END and REPORT lines cost more than they tell; timeouts and crashes are still logged.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      awsSdkConnectionReuse: false,
      bundling: {
        // As index.mjs, which is an ES module wherever it lies: here, and alone in Lambda.
        format: OutputFormat.ESM,
        target: "node24",
        mainFields: ["module", "main"],
        externalModules: [],
        minify: true,
        sourceMap: false,
        banner: REQUIRE,
        // undici's own switch for what its experimental parser is not part of.
        define: { esbuildDetection: "1" },
        logLevel: LogLevel.ERROR,
        ...(props.postBuild === undefined ? {} : { commandHooks: postBuildHooks(props.postBuild) }),
      },
    });
    this.functionRole = functionRole;
    this.timeoutAfter = props.timeout;
    // The id in the template is the function's name as the rest of the code spells it, without a hash.
    if (this.node.defaultChild instanceof CfnFunction) this.node.defaultChild.overrideLogicalId(id);
  }
}

/** Runs the script with the Node that runs this, in the shell that bundles. */
function postBuildHooks({ folder, script }: NonNullable<NodeFunctionProps["postBuild"]>): ICommandHooks {
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_inputs, bundle) => [
      [process.execPath, join(PROJECT, script), join(bundle, folder)].map(shellQuote).join(" "),
    ],
  };
}

function shellQuote(word: string): string {
  return process.platform === "win32" ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
