const problems: string[] = [];

/** Notes what an exchange has that the document does not declare. */
export function addProblem(problem: string): void {
  problems.push(problem);
}

/** The problems since the last call, each once. */
export function takeProblems(): string[] {
  return [...new Set(problems.splice(0))];
}
