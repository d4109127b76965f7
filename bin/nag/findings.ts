import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { App } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { parleyApp } from "../../lib/app.ts";
import { existingBuckets } from "./settings-to-check.ts";

/** What a rule of cdk-nag says of a resource. */
export interface Finding {
  /** `AwsSolutions-IAM5`. */
  readonly rule: string;
  /** The path of the construct, without that of its CloudFormation resource: `ParleyService/ApiRole/DefaultPolicy`. */
  readonly resource: string;
  /** The grant with a wildcard that a rule of IAM names, with ids in place of ARNs: `RawBucket/raw/*`. Null: it names none. */
  readonly grant: string | null;
}

/** The findings for some settings, of templates without code. `change` is called before the templates are complete. */
export function findingsOf(
  context: Readonly<Record<string, string>>,
  change: (app: App) => void = () => {},
): readonly Finding[] {
  const outdir = mkdtempSync(join(tmpdir(), "parley-nag-"));
  try {
    const app = parleyApp({ outdir, context: { ...context }, bundle: false });
    change(app);
    // The rules read the complete templates. CloudFormation's own rules are those of `npm run synth`.
    app.synth({ skipValidation: true });
    const { violations } = new AwsSolutionsChecks().validateScope(app);
    return violations.flatMap(({ ruleName, violatingResources = [] }) =>
      violatingResources.map((violating) =>
        toFinding(ruleName, (violating as { constructPath?: string }).constructPath ?? ""),
      ),
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function toFinding(ruleName: string, path: string): Finding {
  const [, rule = ruleName, detail] = /^([^[]+)\[(.*)\]$/.exec(ruleName) ?? [];
  return { rule, resource: path.replace(/\/Resource$/, ""), grant: detail === undefined ? null : toGrant(detail) };
}

/** Without what CDK generates, which is another text after a construct has moved. */
function toGrant(detail: string): string {
  return detail
    .replace(/^Resource::/, "")
    .replace(/^\w+:ExportsOutputFnGetAtt(\w+?)[0-9A-F]{8}Arn[0-9A-F]{8}/, "$1")
    .replace(/^arn:<AWS::Partition>:s3:::([\w-]+)/, (arn, name: string) => existingBuckets[name] ?? arn)
    .replace(/^arn:<AWS::Partition>:([\w-]+):<AWS::Region>:<AWS::AccountId>:/, "$1:")
    .replace(/<(\w+?)(?:[0-9A-F]{8})?(?:\.Arn)?>/g, "$1");
}
