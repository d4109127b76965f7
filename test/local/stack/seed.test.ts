import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { describeStack } from "../../../local/stack/local-json.ts";
import { demoAccounts, type SeedPorts, seed } from "../../../local/stack/seed.ts";
import { newTempFolder } from "../../support/assemblies/assemblies.ts";

const folder = newTempFolder();
afterAll(folder.remove);
let files = 0;
const newFile = (): string => join(folder.path, `seed-${files++}.json`);

/** Records the calls and throws at call number `until`. */
function recorder(until = Number.POSITIVE_INFINITY): { ports: SeedPorts; calls: string[] } {
  const calls: string[] = [];
  const call = (text: string): void => {
    if (calls.length >= until) throw new Error("killed");
    calls.push(text);
  };
  const ports: SeedPorts = {
    createTenant: async (slug) => call(`tenant ${slug}`),
    createKey: async (_tenant, scope) => {
      call(`key ${scope}`);
      return { secret: `svc_${scope}_made` };
    },
    createOperatorKey: async (tenants) => {
      call(`operator key ${tenants}`);
      return { secret: "svc_live_operator" };
    },
    createSignInLink: async () => "http://base/link",
    connectAccount: async (_tenant, { connection }) => call(`account ${connection}`),
  };
  return { ports, calls };
}

const workspace = ["tenant demo", "key live", "key test", "operator key demo"];
const accounts = ["account instagram_login", "account instagram_page", "account messenger"];
const secrets = { meta: "m", instagram: "i", verify_token: "v" };

it("the demo workspace is created once, and a later start creates nothing", async () => {
  const file = newFile();
  const first = recorder();
  const result = await seed(file, first.ports, demoAccounts);
  expect(first.calls).toEqual([...workspace, ...accounts]);
  const second = recorder();
  expect(await seed(file, second.ports, demoAccounts)).toEqual(result);
  expect(second.calls).toEqual([]);
});

it.each([0, 1, 2, 3, 4, 5, 6])(
  "the demo workspace, interrupted after %i steps, is completed by the next start",
  async (steps) => {
    const file = newFile();
    const first = recorder(steps);
    await expect(seed(file, first.ports, demoAccounts)).rejects.toThrow("killed");
    const second = recorder();
    await seed(file, second.ports, demoAccounts);
    expect([...first.calls, ...second.calls]).toEqual([...workspace, ...accounts]);
  },
);

it("the demo workspace has no accounts if accounts are off, and local.json lists none", async () => {
  const { ports, calls } = recorder();
  const result = await seed(newFile(), ports, []);
  expect(calls).toEqual(workspace);
  const described = describeStack({
    baseUrl: "http://base",
    wsUrl: undefined,
    simulatorUrl: undefined,
    controlToken: "the-control-token",
    signInUrl: undefined,
    seedState: result,
    secrets,
  });
  expect(described).toEqual({
    base_url: "http://base",
    control_token: "the-control-token",
    tenant: "demo",
    live_key: "svc_live_made",
    test_key: "svc_test_made",
    operator_key: "svc_live_operator",
    platform_secrets: secrets,
    accounts: [],
  });
});

it("the demo workspace is described in local.json with its accounts, the WebSocket API, the simulator and a sign-in link", async () => {
  const seedState = await seed(newFile(), recorder().ports, demoAccounts);
  const urls = {
    baseUrl: "http://base",
    wsUrl: "ws://ws/live",
    simulatorUrl: "http://sim",
    controlToken: "the-control-token",
    signInUrl: "http://base/link",
  };
  const described = describeStack({ ...urls, seedState, secrets });
  expect(described.ws_url).toBe("ws://ws/live");
  expect(described.simulator_url).toBe("http://sim");
  expect(described.sign_in_url).toBe("http://base/link");
  expect(described.accounts).toEqual([
    {
      account_key: "instagram#17841400000000001",
      connection: "instagram_login",
      page_id: null,
      handle: "parley_studio",
    },
    {
      account_key: "instagram#17841400000000002",
      connection: "instagram_page",
      page_id: "100000000000001",
      handle: "parley_shop",
    },
    {
      account_key: "messenger#100000000000001",
      connection: "messenger",
      page_id: "100000000000001",
      handle: "parleyshop",
    },
  ]);
});
