import { afterAll, beforeAll, beforeEach } from "vitest";
import { openTestEnv, type TestEnv } from "../../../../../support/flows/test-env.ts";
import { openLoginFixture } from "./login-fixture.ts";

let users = 0;

/** The accounts of a new person who logs in with Instagram, and the two ids of the person. */
export async function openLogin(testEnv: TestEnv) {
  users += 1;
  return { fixture: await openLoginFixture(testEnv), user: `1784140000${users}7`, otherId: `99000${users}1` };
}

/**
 * Opens an environment for the tests of a file, and a login for each test.
 * @param assign stores them in the variables of the file, before each test
 */
export function useLogins(
  assign: (opened: Awaited<ReturnType<typeof openLogin>> & { readonly testEnv: TestEnv }) => void,
): void {
  let testEnv: TestEnv;
  beforeAll(async () => {
    testEnv = await openTestEnv();
  });
  afterAll(() => testEnv.close());
  beforeEach(async () => assign({ testEnv, ...(await openLogin(testEnv)) }));
}
