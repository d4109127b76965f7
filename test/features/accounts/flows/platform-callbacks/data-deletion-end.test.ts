import { expect, it } from "vitest";
import { DAY } from "#base/kernel/time.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { readDataDeletion } from "#features/accounts/flows/platform-callbacks/read-deletion.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openLoginFixture } from "./support/login-fixture.ts";

// The table removes an expired row days after its end.

const testEnv = openedOnce(openTestEnv);

it("a data deletion can be read for 400 days, and its row stands for nothing after that", async () => {
  const fixture = await openLoginFixture(testEnv);
  const request = () => deleteData(fixture.ports(), { platformUserId: "17841400009917", now: testEnv.now() });
  const read = (code: string) => readDataDeletion(fixture.ports(), code, testEnv.now());
  const code = await request();
  const first = { code, status: "done", requestedAt: testEnv.now(), doneAt: testEnv.now() };
  testEnv.advance(400 * DAY - 1_000);
  expect(await read(code)).toEqual(first);
  testEnv.advance(2_000);
  expect(await read(code)).toBeNull();
  expect(await request()).toBe(code);
  expect(await read(code)).toEqual({ ...first, requestedAt: testEnv.now(), doneAt: testEnv.now() });
});
