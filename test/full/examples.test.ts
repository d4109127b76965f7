import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EXAMPLE_SETTINGS, recordExamples } from "../../bin/openapi/examples/record.ts";
import { startLocalStack } from "../e2e/support/local-stack.ts";
import { openedOnce } from "../support/opened.ts";

// Each example of the OpenAPI document is what the running stack answers.

const stack = openedOnce(() => startLocalStack({ env: EXAMPLE_SETTINGS }));

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
