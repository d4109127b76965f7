import { matchesGlob } from "node:path";

/**
 * Files that only the full run has. Each shows on a whole stack, in a browser, at great size or in every order what other
 * tests of `npm test` prove in part.
 */
export const wholeRunsOnly = [
  "test/docs/packages/advisories.test.ts",
  "test/e2e/access/{api-refusals,delete-tenant,keys,smoke}.test.ts",
  "test/e2e/accounts/health-checks.test.ts",
  "test/e2e/client/client.test.ts",
  "test/e2e/guides/**",
  "test/e2e/holds/check-page.test.ts",
  "test/e2e/inbox/{inbound-chaos,intake-refusals,profiles}.test.ts",
  "test/e2e/sending/sends.test.ts",
  "test/e2e/stack/{first-run,ports,settings,stack-process,stage}.test.ts",
  "test/e2e/uploads/**",
  "test/e2e/webhooks/listen.test.ts",
  "test/features/access/routes/request-limit.test.ts",
  "test/features/accounts/flows/health-checks/refusals.test.ts",
  "test/features/delivery/flows/fairness.test.ts",
  "test/features/inbox/flows/parts/largest-updates.test.ts",
  "test/features/sending/flows/frozen-over-erasure.test.ts",
  "test/features/uploads/flows/hand-over-faults.test.ts",
  "test/functions/deliver/starved.test.ts",
  "test/functions/route-table/deleted-tenant.test.ts",
  "test/functions/worker/two-releases.test.ts",
  "test/fuzz/fuzz.test.ts",
  "test/histories/same-seed.test.ts",
  "test/lib/stacks/{exports,stages}.test.ts",
  "test/local/admin/stage.test.ts",
  "test/local/stack/earlier-data-folder.test.ts",
  "test/packages/local-aws/emulators/crash.test.ts",
  "test/packages/{local-aws,simulator}/package.test.ts",
  "test/packages/simulator/page/{page-bench,page-connection,page-messages,page-views,page-world}.test.ts",
  "test/support/faults.test.ts",
  "test/web/{check-page-access,check-page-ends,docs-page}.test.ts",
];

/** @param file its path from the repository's root */
export function isInWholeRunsOnly(file: string): boolean {
  return file.startsWith("test/full/") || wholeRunsOnly.some((pattern) => matchesGlob(file, pattern));
}
