import { expect, it } from "vitest";
import { banner } from "../../../local/stack/banner.ts";
import type { LocalJson } from "../../../local/stack/local-json.ts";
import { pages, readPage } from "../../docs/markdown.ts";

const bareLocalJson: LocalJson = {
  base_url: "http://127.0.0.1:8787",
  control_token: "the-control-token",
  platform_secrets: { meta: "the-meta-secret", instagram: "the-ig-secret", verify_token: "the-token" },
  accounts: [],
};
const account = { account_key: "messenger#1", connection: "messenger", page_id: "1", handle: "shop" } as const;
const seededLocalJson: LocalJson = {
  ...bareLocalJson,
  ws_url: "ws://127.0.0.1:8790/live",
  simulator_url: "http://127.0.0.1:8788",
  sign_in_url: "http://127.0.0.1:8787/console/auth/verify?token=x",
  tenant: "demo",
  live_key: "svc_live_x",
  accounts: [account],
};
const details = { dataDir: "/repository/.parley", cwd: "/repository", startedIn: 3_140 };

/** The commands to copy. test/e2e/stack/first-run.test.ts runs them. */
function commands(local: LocalJson, dataDir = details.dataDir): string[] {
  const lines = banner(local, { ...details, dataDir }).split("\n");
  return lines.filter((line) => /npm run|curl/.test(line)).map((line) => line.trim());
}

it("the banner shows addresses, the key, how long the start took, and short commands", () => {
  const text = banner(seededLocalJson, details);
  expect(text).toContain("Parley is running. It started in 3.1 s.");
  for (const shown of [
    "http://127.0.0.1:8787",
    "http://127.0.0.1:8788/#token=the-control-token\n",
    "svc_live_x",
    "/repository/.parley",
  ])
    expect(text).toContain(shown);
  expect(text).toContain("  Realtime   ws://127.0.0.1:8790/live\n");
  expect(text).toContain("  Sign in    http://127.0.0.1:8787/console/auth/verify?token=x\n");
  expect(text).toContain(
    "             The link works once, for 15 minutes, and signs in owner@local.invalid by one press.\n",
  );
  expect(text.split("\n").find((line) => line.startsWith("  "))).toBe("  Console    http://127.0.0.1:8787/app");
  expect(text).toContain("  Mailbox    http://127.0.0.1:8787/_local/mail#token=the-control-token\n");
  expect(text).toContain("  Docs       http://127.0.0.1:8787/docs\n");
  expect(commands(seededLocalJson)).toEqual([
    "npm run admin -- listen",
    'npm run admin -- message "Hi"',
    'npm run admin -- reply "Hello"',
    "curl http://127.0.0.1:8787/v1/conversations -H 'Authorization: Bearer svc_live_x'",
  ]);
});

it("the banner of the packages shows the commands of parley", () => {
  const lines = banner(seededLocalJson, { ...details, commands: "npx parley" }).split("\n");
  expect(lines.filter((line) => /parley (listen|message|reply)/.test(line))).toEqual([
    "  npx parley listen",
    '  npx parley message "Hi"',
    '  npx parley reply "Hello"',
  ]);
  expect(lines.join("\n")).not.toContain("npm run");
});

it("the banner names another data folder than the default in each admin command, quoted for a shell", () => {
  expect(commands(seededLocalJson, "/tmp/an owner's data")[0]).toBe(
    "PARLEY_DATA='/tmp/an owner'\\''s data' npm run admin -- listen",
  );
});

it("the banner shows no command that needs an account or a simulator where there is none", () => {
  const { simulator_url: _, ...withoutSimulator } = seededLocalJson;
  for (const local of [withoutSimulator, { ...seededLocalJson, accounts: [] }]) {
    expect(commands(local).join("\n")).not.toMatch(/message|reply/);
    expect(commands(local)).toHaveLength(2);
  }
});

it("the banner shows no commands without a key, no simulator and no sign-in link if there is none, and never the platform secrets", () => {
  const text = banner(bareLocalJson, details);
  expect(text).not.toMatch(/curl|npm run|Simulator|Sign in|Accounts/);
  expect(banner(seededLocalJson, details) + text).not.toMatch(/the-(meta-secret|ig-secret|token)/);
});

it("the documents name only addresses that the banner has", () => {
  const rows = new Set(
    Array.from(banner(seededLocalJson, details).matchAll(/^ {2}(\S.{0,9}) /gm), ([, name]) => name?.trim()),
  );
  const names = pages.flatMap((page) =>
    [...readPage(page).matchAll(/address\s+of\s+`([A-Z][a-z ]+)`/g)].map(([, name]) => `${page}: ${name}`),
  );
  expect(names).toContain("README.md: Simulator");
  expect(names.filter((name) => !rows.has(name.split(": ")[1]))).toEqual([]);
});
