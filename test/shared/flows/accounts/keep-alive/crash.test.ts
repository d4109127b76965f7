import { afterAll, beforeAll, expect, it } from "vitest";
import { MINUTE } from "../../../../../shared/kernel/time.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../support/fault-injection.ts";
import { openTestEnv, type TestEnv } from "../../support/test-env.ts";
import { openCheckFixture } from "./support/check-fixture.ts";

let testEnv: TestEnv;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());

const dead = {
  kind: "inspected",
  isValid: false,
  detail: "(#190)",
  hasRights: false,
  dataAccessExpiresAt: null,
} as const;

it.each(faultPoints)(
  "a dead token is published once and mailed at most once despite a fault (%s) at any call",
  async (point) => {
    for (let index = firstFault(point); ; index += FAULT_STEP) {
      const fixture = await openCheckFixture(testEnv, "messenger");
      fixture.answers.inspect = dead;
      const fault = injectFaultAt(testEnv.clients, point, index);
      const worker = fault.crashable(fixture.newWorker());
      await fixture.checkNow(worker).catch(() => {});
      fault.remove();
      testEnv.advance(MINUTE);
      await fixture.work();
      expect(await fixture.read()).toMatchObject({ status: "needs_reauth" });
      expect(await fixture.events()).toEqual(["account.needs_reauth"]);
      expect(fixture.mails().length).toBeLessThanOrEqual(1);
      if (!fault.reached()) break;
    }
  },
);
