import { expect, it } from "vitest";
import { runAdmin } from "../../e2e/support/admin.ts";
import { openSharedStack } from "../../e2e/support/local-stack.ts";
import { openedOnce } from "../../support/opened.ts";

const stack = openedOnce(openSharedStack);
const run = async (...args: string[]) => runAdmin(stack.dataDir, "migrate", ...args);

it("migrate prints what it would do, does it, and has nothing to do the second time", async () => {
  const dry = await run("--dry-run", "--json");
  expect(dry).toMatchObject({ code: 0, errors: "" });
  expect(JSON.parse(dry.output)).toMatchObject({ dry_run: true, completed_step: 0, steps_of_this_release: 2 });
  const first = await run();
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining("All 2 steps are complete.") });
  expect(first.output).toContain("Step 1, each route of an account names its holders: 0 rows changed.");
  expect(await run()).toMatchObject({ code: 0, output: "All 2 steps are complete.\n", errors: "" });
  expect(JSON.parse((await run("--json")).output)).toEqual({
    dry_run: false,
    steps: [],
    completed_step: 2,
    steps_of_this_release: 2,
  });
});

it("migrate refuses an argument in one line and changes nothing", async () => {
  expect(await run("all")).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringContaining("Unexpected argument: all."),
  });
});
