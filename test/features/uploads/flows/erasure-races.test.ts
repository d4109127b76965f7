import { expect, it } from "vitest";
import { injectFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { expectNothingLeft, openUploadRace, runUploadInterleavings, type UploadRace } from "./support/upload-race.ts";

const INTERLEAVINGS = repetitions({ whole: 200, sample: 20 });
const testEnv = openedOnce(openTestEnv);

it("an erasure concurrent with the creation, the finish and the hand-over of uploads leaves no row, no file and no message that makes one", async () => {
  await runUploadInterleavings(testEnv, { from: 1, count: INTERLEAVINGS });
}, 300_000);

it.each(["create", "finish", "runHandOvers"] as const)(
  "an erasure concurrent with uploads leaves nothing, before any call of %s",
  async (step) => {
    for (let call = 0; ; call++) {
      const race = await openUploadRace(testEnv);
      if (!(await runStep(race, step, call))) {
        expect(call).toBeGreaterThan(1);
        return;
      }
      await expectNothingLeft(testEnv, race);
    }
  },
);

/** Erases the conversation before a call of the step. @returns whether there was such a call */
async function runStep(race: UploadRace, step: "create" | "finish" | "runHandOvers", call: number): Promise<boolean> {
  const id = step === "create" ? "" : ((await race.create()) ?? "");
  if (step !== "create") await race.post(id);
  if (step === "runHandOvers") await race.finish(id);
  testEnv.advance(1);
  let calls = 0;
  let erased = false;
  const eraseBefore = async (): Promise<"pass"> => {
    if (calls++ === call && !erased) {
      erased = true;
      await race.erase();
    }
    return "pass";
  };
  const removals = [testEnv.client, testEnv.s3].map((client) => injectFaults(client as never, eraseBefore));
  await { create: race.create, finish: () => race.finish(id), runHandOvers: () => race.runHandOvers() }[step]();
  for (const remove of removals) remove();
  if (!erased) await race.erase();
  return erased;
}
