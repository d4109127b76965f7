import { expect, it } from "vitest";
import { checkWindowAt } from "#features/holds/rules/check-attempts.ts";
import { checkAttemptStore } from "#features/holds/store/check-attempts.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

const table = openedOnce(openTestTable);
const attempts = openedOnce(() => checkAttemptStore(table));

it("each attempt of each subject is counted once, also concurrent ones, until the window ends", async () => {
  const kinds = Array.from({ length: 12 }, (_, i): "failure" | "challenge" => (i % 3 === 0 ? "failure" : "challenge"));
  const results = await Promise.all(kinds.map((kind) => attempts.add("hold_1", kind, NOW)));
  expect(results.map(({ all }) => all).sort((a, b) => a - b)).toEqual(kinds.map((_, i) => i + 1));
  expect(await attempts.get("hold_1", NOW)).toEqual({ all: 12, failed: 4 });
  expect(await attempts.get("hold_2", NOW)).toEqual({ all: 0, failed: 0 });
  const { end } = checkWindowAt(NOW);
  expect(await attempts.get("hold_1", end - 1)).toEqual({ all: 12, failed: 4 });
  expect(await attempts.get("hold_1", end)).toEqual({ all: 0, failed: 0 });
});
