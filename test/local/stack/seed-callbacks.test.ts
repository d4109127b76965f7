import { expect, it, onTestFinished } from "vitest";
import { startSimulator } from "#simulator";
import { demoAccounts } from "../../../local/stack/seed.ts";
import { workshopAccounts } from "../../../local/stack/workshop.ts";
import { controlHeaders, testControlToken } from "../../support/access/control-token.ts";

it("every demo account was connected by the person whom the simulator's callbacks about it name", async () => {
  const accounts = [...demoAccounts, ...workshopAccounts];
  const simulator = await startSimulator({
    port: 0,
    webhookBase: "http://127.0.0.1:1",
    metaSecret: "meta-secret",
    instagramSecret: "instagram-secret",
    verifyToken: "verify-me",
    controlToken: testControlToken,
    accounts: accounts.map((account) => ({ ...account })),
  });
  onTestFinished(() => simulator.close());
  expect(accounts).not.toHaveLength(0);
  for (const { externalId: account, connection, authorizedBy } of accounts) {
    const response = await fetch(`${simulator.url}/_sim/deauthorize`, {
      method: "POST",
      headers: { ...controlHeaders(), "content-type": "application/json" },
      body: JSON.stringify({ account, connection }),
    });
    const { user_id } = (await response.json()) as { user_id: string };
    expect(authorizedBy, connection).toContain(user_id);
  }
});
