import { expect, it } from "vitest";
import { MINUTE } from "#base/kernel/time.ts";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import type { QueueWorker } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openCheckFixture } from "./support/check-fixture.ts";

const testEnv = openedOnce(openTestEnv);

it.each(["AccessDeniedException", "ThrottlingException"])(
  "a check whose token cannot be opened (%s) calls nothing, changes nothing and stays due",
  async (name) => {
    const fixture = await openCheckFixture(testEnv);
    const ports = fixture.newPorts();
    const open = () => Promise.reject(Object.assign(new Error("KMS refused."), { name }));
    const worker = accountsWorker({ ...ports, vault: { ...ports.vault, open } }, testEnv.now) as QueueWorker;
    const account = await fixture.read();
    const check = await fixture.readCheck();
    await fixture.passToCheck(worker);
    expect(fixture.calls).toEqual([]);
    expect([await fixture.read(), await fixture.readCheck()]).toEqual([account, check]);
    expect(await fixture.events()).toEqual([]);
    // The queue repeats it once the key is usable again.
    testEnv.advance(15 * MINUTE);
    await fixture.work();
    expect(fixture.takeCalls()).toEqual(["readSubscription", "listThreads"]);
    expect((await fixture.readCheck())?.dueAt).toBeGreaterThan(testEnv.now());
  },
);
