import { rmSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { FunctionName } from "../shared/config/names.ts";
import { bundleFunctions } from "./bundles/bundle-functions.ts";
import { parseSettings } from "./config/settings.ts";
import { stacks } from "./config/stack-names.ts";
import { DataStack } from "./stacks/data-stack.ts";
import { ServiceStack } from "./stacks/service-stack.ts";

export interface AppOptions {
  /** The folder of the cloud assembly: templates and bundled code. */
  readonly outdir: string;
  /** Settings by their context keys, such as `parley:siteUrl`; the CDK command's own context stands above them. */
  readonly context?: Readonly<Record<string, string>>;
  /** False leaves the functions unbundled: the templates are whole, but there is no code to run. Default true. */
  readonly bundle?: boolean;
}

export interface SynthesisOptions extends AppOptions {
  /** True checks the templates against CloudFormation's rules, which takes about three seconds. Default false. */
  readonly validate?: boolean;
}

/** Here and not in cdk.json, so that every way of running the app gives the same templates. */
const featureFlags = {
  // A template that breaks CloudFormation's rules stops the synthesis, where it is checked at all.
  "@aws-cdk/core:validateAgainstDefaultRules": true,
  // The data stack cannot lose what the service stack still uses.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
};

/** The app with its two stacks, not yet written. Throws an Error that names the setting if one is not valid. */
export function parleyApp({ outdir, context = {}, bundle = true }: AppOptions): App {
  const app = new App({ outdir, analyticsReporting: false, context: { ...featureFlags, ...context } });
  const settings = parseSettings(app.node.getAllContext());
  const data = new DataStack(app, stacks.data, { description: "Parley: stored data" });
  const build = join(app.outdir, "bundles");
  try {
    const folders = bundle ? bundleFunctions(build) : null;
    // The name of an asset is the hash of its content, so that an unchanged function is not uploaded again.
    const code = (name: FunctionName) => (folders ? Code.fromAsset(folders[name]) : Code.fromInline("// not bundled"));
    new ServiceStack(app, stacks.service, { description: "Parley: API, queues and functions", data, settings, code });
  } finally {
    // The assembly holds a copy of each folder under its hash.
    rmSync(build, { recursive: true, force: true });
  }
  return app;
}

/** Writes the cloud assembly and says where. Works without a network. */
export function synthesize({ validate = false, ...options }: SynthesisOptions): { outdir: string } {
  const previousValidation = process.env.CDK_VALIDATION;
  // The CDK takes this switch from the environment alone.
  process.env.CDK_VALIDATION = validate ? "true" : "false";
  try {
    return { outdir: parleyApp(options).synth().directory };
  } finally {
    if (previousValidation === undefined) delete process.env.CDK_VALIDATION;
    else process.env.CDK_VALIDATION = previousValidation;
  }
}
