import { expect } from "vitest";
import { openLostTime, PREPARED, RESTORED } from "../../features/recovery/support/lost-time.ts";
import { eachFault } from "../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { openWorldTable } from "../../support/world/world-table.ts";

// Each step makes many calls. A fault in any of them ends the command, or loses an answer.

// In the process, where a request takes a tenth of the time of one to the engine.
const testEnv = openedOnce(() => openTestEnv({ startTable: openWorldTable }));
const lost = openedOnce(() => openLostTime(testEnv));
const prepared = openedOnce(async () => {
  await lost.reset();
  await lost.run(true);
  return { reset: await lost.checkpoint() };
});

eachFault(
  "a preparation with a fault (%s) at any call is finished by the same command",
  testEnv,
  async (interrupt) => {
    await lost.reset();
    await interrupt(() => lost.run(true));
    expect(await lost.run(true)).toEqual({ kind: "prepared" });
    expect(await lost.state()).toEqual(PREPARED);
  },
  600_000,
);

eachFault(
  "a restore with a fault (%s) at any call is finished by the same command",
  testEnv,
  async (interrupt) => {
    await prepared.reset();
    await interrupt(() => lost.run(false));
    expect(["done", "ended"]).toContain((await lost.run(false)).kind);
    expect(await lost.state()).toEqual(RESTORED);
  },
  600_000,
);
