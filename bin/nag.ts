// Refuses a finding of cdk-nag in the templates that no exception argues, and an exception without a finding: `node bin/nag.ts`.
// It needs no network, and no bundles.

import { compareFindings } from "./nag/compare.ts";
import { exceptions } from "./nag/exceptions.ts";
import { findingsOf } from "./nag/findings.ts";
import { settingsToCheck } from "./nag/settings-to-check.ts";

const findings = Object.values(settingsToCheck).flatMap((context) => findingsOf(context));
for (const problem of compareFindings(findings, exceptions)) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
