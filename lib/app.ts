import { rmSync } from "node:fs";
import { join } from "node:path";
import { App, Tags } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { FunctionName } from "#base/config/names.ts";
import { type BundleFolders, bundleFunctions } from "./bundles/bundle-functions.ts";
import { parseSettings, STAGE_KEY } from "./config/settings.ts";
import { DEFAULT_STAGE, stackNames } from "./config/stack-names.ts";
import { readStage, requireStageTarget } from "./config/stage.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { ServiceStack } from "./stacks/service-stack.ts";

export interface AppOptions {
  /** The folder of the cloud assembly: templates and bundled code. */
  readonly outdir: string;
  /** Settings by context key, such as `parley:siteUrl`. The context of the CDK command overrides them. */
  readonly context?: Readonly<Record<string, string>>;
  /**
   * The folder of the files of stages, whose settings the context overrides. Default: none, so that only the default stage
   * exists and the local stack does not depend on the operator's files.
   */
  readonly stagesFolder?: string;
  /** False skips bundling: the templates are complete but hold no code. Default: true. */
  readonly bundle?: boolean;
  /** The bundles, if they exist already, in `bundles` below `outdir`. They are removed at the end. */
  readonly bundles?: BundleFolders;
}

export interface SynthesisOptions extends AppOptions {
  /** True checks the templates against CloudFormation's rules, which takes about three seconds. Default: false. */
  readonly validate?: boolean;
}

/** Set here and not in cdk.json, so that every way of running the app writes the same templates. */
const featureFlags = {
  // With validation on, a template that breaks a rule of CloudFormation stops the synthesis.
  "@aws-cdk/core:validateAgainstDefaultRules": true,
  // CloudFormation refuses to delete an export of the data stack while the service stack uses it.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
};

/**
 * Builds the app with its two stacks and writes nothing but the bundles.
 * @throws SettingError that names an invalid setting or stage, before anything is built
 */
export function parleyApp({ outdir, context = {}, stagesFolder, bundle = true, bundles }: AppOptions): App {
  const app = new App({ outdir, analyticsReporting: false, context: { ...featureFlags, ...context } });
  const appContext = app.node.getAllContext();
  const stage = readStage(stagesFolder ?? null, appContext[STAGE_KEY] || DEFAULT_STAGE);
  requireStageTarget(stage, {
    account: process.env.CDK_DEFAULT_ACCOUNT,
    region: process.env.CDK_DEFAULT_REGION,
    accountSource: "the account of your AWS credentials",
    regionSource: "the region of your AWS settings",
  });
  const settings = parseSettings({ ...stage.context, ...appContext });
  const names = stackNames(stage.name);
  const { account, region } = stage;
  // With an environment, the CDK command refuses to deploy to another account.
  const env = account === null || region === null ? {} : { env: { account, region } };
  const data = new DataStack(app, names.data, {
    ...env,
    description: "Parley: stored data",
    // CloudFormation refuses to delete the stack until the operator lifts the protection.
    terminationProtection: true,
    recoveryDays: settings.recoveryPeriodInDays,
    existing: settings.existing,
    throughputCap: settings.throughputCap,
  });
  const build = join(app.outdir, "bundles");
  try {
    const folders = bundle ? (bundles ?? bundleFunctions(build)) : null;
    // The name of an asset is the hash of its content, so that an unchanged function is not uploaded again.
    const code = (name: FunctionName) => (folders ? Code.fromAsset(folders[name]) : Code.fromInline("// not bundled"));
    const service = {
      ...env,
      description: "Parley: API, queues and functions",
      data,
      stage: stage.name,
      settings,
      code,
    };
    new ServiceStack(app, names.service, service);
    // The default stage has no tag: a tag on everything would be a change of every resource that is deployed.
    if (stage.name !== DEFAULT_STAGE) Tags.of(app).add(STAGE_KEY, stage.name);
  } finally {
    // The assembly holds a copy of each folder under its hash.
    rmSync(build, { recursive: true, force: true });
  }
  return app;
}

/** Writes the cloud assembly and returns its folder. Needs no network. */
export function synthesize({ validate = false, ...options }: SynthesisOptions): { outdir: string } {
  const previousValidation = process.env.CDK_VALIDATION;
  // The CDK reads this switch from the environment only.
  process.env.CDK_VALIDATION = validate ? "true" : "false";
  try {
    return { outdir: parleyApp(options).synth().directory };
  } finally {
    if (previousValidation === undefined) delete process.env.CDK_VALIDATION;
    else process.env.CDK_VALIDATION = previousValidation;
  }
}
