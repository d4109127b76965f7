import type { App } from "aws-cdk-lib";
import { PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { describe, expect, it } from "vitest";
import { compareFindings } from "../../../bin/nag/compare.ts";
import { exceptions } from "../../../bin/nag/exceptions.ts";
import { findingsOf } from "../../../bin/nag/findings.ts";
import { settingsToCheck } from "../../../bin/nag/settings-to-check.ts";

// `npm run check` compares the findings of cdk-nag for all settings with the exceptions. Here findings are planted.

/** A bucket without TLS, and a right to everything. */
function plantFindings(app: App): void {
  const service = app.node.findChild("ParleyService");
  new Bucket(service, "Planted");
  const role = service.node.findChild("DeliverRole") as Role;
  role.addToPolicy(new PolicyStatement({ actions: ["dynamodb:*"], resources: ["*"] }));
}

describe("the findings of cdk-nag", () => {
  const planted = findingsOf(settingsToCheck.default, plantFindings);
  const isPlanted = ({ resource, grant }: (typeof planted)[number]) =>
    resource.includes("Planted") || grant === "*" || grant?.startsWith("Action::") === true;
  const findings = planted.filter((finding) => !isPlanted(finding));

  it("a new bucket and a new right are findings without an exception", () => {
    const problems = compareFindings(planted, exceptions).filter((problem) => problem.startsWith("Finding"));
    expect(problems.map((problem) => problem.split(".")[0]).sort()).toEqual([
      "Finding without an exception: AwsSolutions-IAM5 for * of ParleyService/DeliverRole/DefaultPolicy",
      "Finding without an exception: AwsSolutions-IAM5 for Action::dynamodb:* of ParleyService/DeliverRole/DefaultPolicy",
      "Finding without an exception: AwsSolutions-S1 for ParleyService/Planted",
      "Finding without an exception: AwsSolutions-S10 for ParleyService/Planted",
    ]);
  });

  it("each finding of the default settings has an exception", () => {
    expect(findings.length).toBeGreaterThan(30);
    expect(compareFindings(findings, exceptions).filter((problem) => problem.startsWith("Finding"))).toEqual([]);
  });
});
