import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EXAMPLE_SETTINGS, recordExamples } from "../../bin/openapi/examples/record.ts";
import { type LocalStack, startLocalStack } from "../e2e/support/local-stack.ts";

// Each example of the OpenAPI document is what the running stack answers.

let stack: LocalStack;
beforeAll(async () => {
  stack = await startLocalStack({ env: EXAMPLE_SETTINGS });
});
afterAll(() => stack?.stop());

it("a new recording of the examples is the same as the documented one", async () => {
  const documented = JSON.parse(readFileSync(new URL("../../docs/examples.json", import.meta.url), "utf8"));
  const recorded = JSON.parse(JSON.stringify(await recordExamples(stack.info)));
  expect(Object.keys(recorded)).toEqual(Object.keys(documented));
  for (const [operation, { exchanges }] of Object.entries<{ exchanges: unknown[] }>(recorded)) {
    expect(exchanges, `${operation}: run npm run openapi:examples && npm run openapi`).toEqual(
      documented[operation].exchanges,
    );
  }
});
