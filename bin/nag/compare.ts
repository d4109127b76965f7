import type { Exception } from "./exceptions.ts";
import type { Finding } from "./findings.ts";

/**
 * Compares the findings for all settings with the exceptions.
 * @returns a line for each finding without an exception, each exception without a finding, and each that is there twice
 */
export function compareFindings(findings: readonly Finding[], exceptions: readonly Exception[]): string[] {
  const current = new Set(findings.map(describe));
  const argued = exceptions.flatMap(({ rule, grant = null, resources }) =>
    resources.map((resource) => describe({ rule, resource, grant })),
  );
  const named = new Set(argued);
  return [
    ...[...current]
      .filter((finding) => !named.has(finding))
      .map((finding) => `Finding without an exception: ${finding}. Correct it, or argue it in bin/nag/exceptions.ts.`),
    ...[...named]
      .filter((exception) => !current.has(exception))
      .map((exception) => `No template needs the exception ${exception}. Remove it from bin/nag/exceptions.ts.`),
    ...argued
      .filter((exception, at) => argued.indexOf(exception) !== at)
      .map((exception) => `The exception ${exception} is there twice. Remove one from bin/nag/exceptions.ts.`),
  ];
}

function describe({ rule, resource, grant }: Finding): string {
  return grant === null ? `${rule} for ${resource}` : `${rule} for ${grant} of ${resource}`;
}
