import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template as Assertions } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { stacks } from "../../../lib/config/stack-names.ts";
import { DataStack } from "../../../lib/stacks/data-stack.ts";
import { synthesizeTemplates } from "../synth-templates.ts";

/**
 * The exports of the last release, with their values. Every deployed service stack imports some of them, and CloudFormation
 * refuses a release that removes or changes one: add to this list, never remove from it.
 */
const frozenExports = {
  "ParleyData:ExportsOutputFnGetAttJournalBucket00B499C6Arn370F27E1": ["JournalBucket00B499C6", "Arn"],
  "ParleyData:ExportsOutputFnGetAttRawBucketF4E29A3FArn63B96D2E": ["RawBucketF4E29A3F", "Arn"],
  "ParleyData:ExportsOutputFnGetAttSingleTable46C85431Arn126045EF": ["SingleTable46C85431", "Arn"],
  "ParleyData:ExportsOutputFnGetAttTokenKey812BBFC4Arn59F70270": ["TokenKey812BBFC4", "Arn"],
  "ParleyData:ExportsOutputFnGetAttUploadBucketB0FBA037ArnEE59DDB5": ["UploadBucketB0FBA037", "Arn"],
  "ParleyData:ExportsOutputRefJournalBucket00B499C6383320EB": "JournalBucket00B499C6",
  "ParleyData:ExportsOutputRefRawBucketF4E29A3FA1384BD3": "RawBucketF4E29A3F",
  "ParleyData:ExportsOutputRefSecretsPlatformSecretsCD9085B0A8688279": "SecretsPlatformSecretsCD9085B0",
  "ParleyData:ExportsOutputRefSecretsRootSecret10638A29578A0C5C": "SecretsRootSecret10638A29",
  "ParleyData:ExportsOutputRefSingleTable46C85431171A0064": "SingleTable46C85431",
  "ParleyData:ExportsOutputRefTokenKey812BBFC4F86A2BF9": "TokenKey812BBFC4",
  "ParleyData:ExportsOutputRefUploadBucketB0FBA0377290D88A": "UploadBucketB0FBA037",
};

interface Output {
  readonly Value: { readonly Ref?: string; readonly "Fn::GetAtt"?: readonly string[] };
  readonly Export?: { readonly Name: string };
}

function exportsOf(template: { readonly Outputs?: unknown }): Record<string, unknown> {
  const outputs = Object.values((template.Outputs ?? {}) as Record<string, Output>);
  return Object.fromEntries(
    outputs.flatMap(({ Export, Value }) => (Export ? [[Export.Name, Value.Ref ?? Value["Fn::GetAtt"]]] : [])),
  );
}

it("the data stack exports what service stacks import, under names that no release changes", () => {
  expect(exportsOf(synthesizeTemplates().data)).toEqual(frozenExports);
});

it("the data stack exports the same values while no other stack imports one", () => {
  const outdir = mkdtempSync(join(tmpdir(), "parley-exports-"));
  try {
    const alone = new DataStack(new App({ outdir, analyticsReporting: false }), stacks.data, { recoveryDays: 35 });
    expect(exportsOf(Assertions.fromStack(alone).toJSON())).toEqual(frozenExports);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});

it("the service stack imports nothing else from the data stack", () => {
  const imports = [...synthesizeTemplates().text.matchAll(/"Fn::ImportValue": "(ParleyData:[^"]+)"/g)].map(
    ([, name]) => name,
  );
  expect(new Set(imports).size).toBeGreaterThan(5);
  for (const name of imports) expect(Object.keys(frozenExports)).toContain(name);
});
