import { expect, it } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { openJournal } from "#features/recovery/journal.ts";
import { openActs, type PreparedAct } from "../features/recovery/support/journaled-acts.ts";
import { injectFaults } from "../support/faults.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { JOURNAL_BUCKET } from "../support/host/emulated-services.ts";
import { openedOnce } from "../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

it("each act of the journal costs one request to its bucket", async () => {
  const requests: Record<string, string[]> = {};
  for (const [kind, prepare] of Object.entries(openActs(testEnv))) {
    const act: PreparedAct = await prepare();
    const commands: string[] = [];
    const end = injectFaults(testEnv.s3 as never, ({ command, input }) => {
      if ((input as { Bucket?: string }).Bucket === JOURNAL_BUCKET) commands.push(command);
      return "pass";
    });
    await act.make(openJournal(openFiles(JOURNAL_BUCKET, testEnv.s3)));
    end();
    requests[kind] = commands;
  }
  expect(Object.keys(requests)).toHaveLength(17);
  for (const commands of Object.values(requests)) expect(commands).toEqual(["PutObject"]);
});
