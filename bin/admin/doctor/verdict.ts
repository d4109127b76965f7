/** The result of a check. `skipped`: what it checks does not exist here, or not yet. */
export type Verdict =
  | { readonly status: "ok" | "skipped"; readonly finding: string }
  | { readonly status: "warning" | "blocking"; readonly finding: string; readonly fix: string };

export function ok(finding: string): Verdict {
  return { status: "ok", finding };
}

export function skipped(finding: string): Verdict {
  return { status: "skipped", finding };
}

/** The service works, but lacks something. */
export function warning(finding: string, fix: string): Verdict {
  return { status: "warning", finding, fix };
}

/** The service does not work, or a deployment would fail. */
export function blocking(finding: string, fix: string): Verdict {
  return { status: "blocking", finding, fix };
}

/** The parts of a check's verdict: the worst of them, with what it found. @param finding that of a check without a problem */
export function worst(verdicts: readonly Verdict[], finding: string): Verdict {
  const problems = verdicts.filter((verdict) => "fix" in verdict);
  if (problems.length === 0) return ok(finding);
  const status = problems.some((problem) => problem.status === "blocking") ? "blocking" : "warning";
  return {
    status,
    finding: problems.map((problem) => problem.finding).join(" "),
    fix: problems.map((problem) => problem.fix).join(" "),
  };
}
