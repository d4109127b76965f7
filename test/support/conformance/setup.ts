import { afterAll, afterEach } from "vitest";
import { takeProblems } from "./problems.ts";

// Every answer that a test gets from a route is as the OpenAPI document says.

afterEach(reportProblems);
afterAll(reportProblems);

function reportProblems(): void {
  const problems = takeProblems();
  if (problems.length === 0) return;
  throw new Error(`The OpenAPI document does not declare this:\n${problems.slice(0, 20).join("\n")}`);
}
