import { rmSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { FunctionName } from "#base/config/names.ts";
import { type BundleFolders, bundleFunctions } from "./bundles/bundle-functions.ts";
import { parseSettings } from "./config/settings.ts";
import { stacks } from "./config/stack-names.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { ServiceStack } from "./stacks/service-stack.ts";

export interface AppOptions {
  /** The folder of the cloud assembly: templates and bundled code. */
  readonly outdir: string;
  /** Settings by context key, such as `parley:siteUrl`. The context of the CDK command overrides them. */
  readonly context?: Readonly<Record<string, string>>;
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

/** Builds the app with its two stacks and writes nothing but the bundles. Throws an Error that names an invalid setting. */
export function parleyApp({ outdir, context = {}, bundle = true, bundles }: AppOptions): App {
  const app = new App({ outdir, analyticsReporting: false, context: { ...featureFlags, ...context } });
  const settings = parseSettings(app.node.getAllContext());
  const data = new DataStack(app, stacks.data, { description: "Parley: stored data" });
  const build = join(app.outdir, "bundles");
  try {
    const folders = bundle ? (bundles ?? bundleFunctions(build)) : null;
    // The name of an asset is the hash of its content, so that an unchanged function is not uploaded again.
    const code = (name: FunctionName) => (folders ? Code.fromAsset(folders[name]) : Code.fromInline("// not bundled"));
    new ServiceStack(app, stacks.service, { description: "Parley: API, queues and functions", data, settings, code });
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
