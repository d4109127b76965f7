import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { banner } from "../../../packages/simulator/src/banner.ts";
import { simulatorPageUrl } from "../../../packages/simulator/src/page-url.ts";
import { HELP, readSettings } from "../../../packages/simulator/src/settings.ts";
import { simulatedAppIds } from "../../../packages/simulator/src/world/app-ids.ts";
import { controlHeaders } from "../../support/access/control-token.ts";
import { startWebhookReceiver } from "./simulator-fixture.ts";

const program = fileURLToPath(new URL("../../../packages/simulator/src/main.ts", import.meta.url));

function start(environment: Record<string, string>) {
  const child = spawn(process.execPath, [program], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return {
    child,
    output: () => output,
    url: async (): Promise<string> => {
      while (!/http:\S+/.test(output)) await once(child.stdout, "data");
      return /http:\S+/.exec(output)?.[0] ?? "";
    },
  };
}

test("a pending webhook survives a kill of the program", async () => {
  const folder = await mkdtemp(join(tmpdir(), "simulator-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const hook = await startWebhookReceiver();
  hook.settings.status = 500;
  const environment = {
    SIM_PORT: "0",
    SIM_WEBHOOK_BASE: hook.url,
    SIM_META_SECRET: "m",
    SIM_INSTAGRAM_SECRET: "i",
    SIM_VERIFY_TOKEN: "v",
    SIM_CONTROL_TOKEN: "control-token-of-tests",
    SIM_STATE: join(folder, "state.json"),
  };
  const first = start(environment);
  const url = await first.url();
  const headers = controlHeaders(environment.SIM_CONTROL_TOKEN);
  const { accounts } = (await (await fetch(`${url}/_sim/state`, { headers })).json()) as {
    accounts: { externalId: string }[];
  };
  const body = JSON.stringify({ account: accounts[0]?.externalId, text: "Still here?" });
  await fetch(`${url}/_sim/person-sends`, { method: "POST", headers, body });
  first.child.kill("SIGKILL");
  await once(first.child, "exit");

  const tries = hook.got.length;
  expect(tries).toBeGreaterThan(0);
  hook.settings.status = 200;
  const second = start(environment);
  const all = await hook.waitForWebhooks(tries + 1);
  expect(all.at(-1)?.raw).toBe(all[0]?.raw);
  await second.url();
  second.child.kill("SIGTERM");
  expect(await once(second.child, "exit")).toEqual([0, null]);
});

test("without the callback URL, the program names it and exits", async () => {
  const { child, output } = start({ SIM_META_SECRET: "m" });
  expect(await once(child, "close")).toEqual([1, null]);
  expect(output()).toMatch(/^Missing callback URL\. Set --callback or SIM_WEBHOOK_BASE to .*\n$/);
});

const callback = ["--callback", "http://127.0.0.1:3000"];

test("the settings of a simulator that runs alone have random secrets, which the banner shows, and other values by default", () => {
  const settings = readSettings(callback, {});
  if (settings === null) throw new Error("the help was not asked for");
  const { options, randomSecrets } = settings;
  expect(options).toMatchObject({ port: 4100, webhookBase: "http://127.0.0.1:3000", appId: simulatedAppIds.meta });
  const text = banner("http://127.0.0.1:4100", settings);
  expect(Object.keys(randomSecrets)).toHaveLength(4);
  expect(text).toContain(`http://127.0.0.1:4100/#token=${options.controlToken.value}\n`);
  expect(options.controlToken.value).toMatch(/^[0-9a-f]{40}$/);
  for (const secret of [options.metaSecret, options.instagramSecret, options.verifyToken]) {
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    expect(text).toContain(secret);
  }
  expect(text).toContain("http://127.0.0.1:4100/instagram_graph");
  expect(text).toContain("http://127.0.0.1:3000/webhooks/messenger");
});

test("the settings of a simulator that runs alone are read from the environment and the flags, which win, and the banner shows no secret that was set", () => {
  const secrets = {
    SIM_META_SECRET: "env-meta",
    SIM_INSTAGRAM_SECRET: "env-instagram",
    SIM_VERIFY_TOKEN: "env-verify",
    SIM_CONTROL_TOKEN: "env-control-token",
  };
  const flags = [
    "--port",
    "0",
    "--meta-secret",
    "flag-meta",
    "--redirect-uri",
    "http://a/1",
    "--redirect-uri",
    "http://a/2",
  ];
  const settings = readSettings(flags, { ...secrets, SIM_WEBHOOK_BASE: "http://127.0.0.1:9", SIM_APP_ID: "42" });
  expect(settings?.options).toMatchObject({
    port: 0,
    metaSecret: "flag-meta",
    instagramSecret: "env-instagram",
    appId: "42",
    controlToken: { value: "env-control-token" },
    redirectUris: ["http://a/1", "http://a/2"],
  });
  const text = settings === null ? "" : banner("http://127.0.0.1:1", settings);
  expect(text).toContain("42");
  expect(text).not.toMatch(/flag-meta|env-instagram|env-verify|env-control-token/);
});

test.each([
  [["--port", "70000", ...callback], "Invalid port"],
  [["--callback", "ftp://127.0.0.1"], "Invalid callback URL"],
  [["--colour"], "--help"],
])("%j is refused", (flags, text) => {
  expect(() => readSettings(flags, {})).toThrow(text);
});

test.each(["short", "a token with spaces", "a-token-with-a-#-in-it"])(
  "the settings of a simulator that runs alone refuse the control token %j",
  (token) => {
    expect(() => readSettings(callback, { SIM_CONTROL_TOKEN: token })).toThrow("Invalid SIM_CONTROL_TOKEN");
  },
);

test("the settings of a simulator that runs alone are described by the help, every flag once", () => {
  expect(readSettings(["--help"], {})).toBeNull();
  const flags = [...HELP.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name);
  expect(flags).toHaveLength(10);
  const page = readFileSync(new URL("../../../packages/simulator/README.md", import.meta.url), "utf8");
  for (const flag of flags.filter((name) => name !== "help")) expect(page).toContain(`--${flag}`);
});

test("the page's link has the token where a browser does not send it", () => {
  expect(new URL(simulatorPageUrl("http://127.0.0.1:1", "t")).hash).toBe("#token=t");
});
