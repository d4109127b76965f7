import { beforeEach, expect, it } from "vitest";
import { refuse } from "#base/kernel/refusals.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { openReplyFixture, type ReplyFixture } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testApp } from "../../../support/routes/test-app.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { createKey } from "../../access/flows/support/api-keys.ts";
import { linkTestAccount } from "../flows/support/link-test-account.ts";

let fixture: ReplyFixture;
let ports: ApiPorts;
let app: FetchApp;
let key: string;
/** The tokens of the calls to the platform, in order. */
let tokens: string[];
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  testEnv.advance(MINUTE);
  fixture = await openReplyFixture(testEnv);
  tokens = [];
  const call = async (_: unknown, token: string) => {
    tokens.push(token);
    return { kind: "done" } as const;
  };
  const sending = fixture.ports();
  ports = {
    ...sending,
    // One process: its vault caches the tokens that it opened.
    platformFor: async (account, scope) => {
      const platform = await sending.platformFor(account, scope);
      const send: typeof platform.send = (of, token, message) => {
        tokens.push(token);
        return platform.send(of, token, message);
      };
      return { ...platform, send };
    },
    accountPlatformFor: async () => ({ subscribe: call, unsubscribe: call }),
  };
  const appPorts = { ...openStores(testEnv.table), ...ports };
  app = testApp(testEnv, appPorts);
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  key = (await createKey(appPorts, fixture.tenant, settings, testEnv.now())).secret;
});

const accountKey = () => encodeURIComponent(`instagram#${fixture.accountRef.externalId}`);
async function request(method: string, path: string) {
  const response = await app.request(path, { method, headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it("a request disconnects the account: it is listed no more, its history is, and another request is 404", async () => {
  const path = `/v1/accounts/${accountKey()}`;
  expect(await request("DELETE", path)).toEqual({ status: 200, body: { ok: true, data: { disconnected: true } } });
  expect((await request("GET", "/v1/accounts")).body).toEqual({ ok: true, data: { accounts: [] } });
  expect(await request("GET", `/v1/conversations/${encodeURIComponent(fixture.id)}`)).toMatchObject({
    status: 200,
    body: { data: { messages: [expect.anything()] } },
  });
  expect(await request("DELETE", path)).toMatchObject({ status: 404, body: { error: { code: "account_not_found" } } });
});

it("a token that was opened before is used for no call from the next request on, and a new one from its connection on", async () => {
  // Its connecting is over, so no process may subscribe the app again.
  testEnv.advance(10 * MINUTE);
  expect(await fixture.sendReply({}, "live", ports)).toMatchObject({ messageId: expect.anything() });
  const [first] = tokens;
  await request("DELETE", `/v1/accounts/${accountKey()}`);
  // The end of the webhooks is the last call.
  expect(tokens).toEqual([first, first]);
  expect(await fixture.sendReply({}, "live", ports)).toEqual(refuse("account_not_found"));
  expect(tokens).toHaveLength(2);
  const account = {
    ...fixture.accountRef,
    connection: "instagram_login",
    handle: "@shop",
    displayName: "Shop",
  } as const;
  await linkTestAccount(
    { ...openStores(testEnv.table), vault: testEnv.newVault() },
    {
      tenant: fixture.tenant,
      account: { ...account, pageId: null },
      token: "new",
      author: { actor: "cli" },
      now: testEnv.now(),
    },
  );
  await fixture.sendReply({}, "live", ports);
  expect(tokens.slice(2)).toEqual(["new"]);
});
