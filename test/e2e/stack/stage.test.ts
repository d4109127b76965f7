import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { env, queues, queueUrlNames } from "#base/config/names.ts";
import { type FakeCloudFormation, openFakeCloudFormation } from "../../support/cloudformation/fake-cloudformation.ts";
import { runAdmin } from "../support/admin.ts";
import { type LocalStack, openSharedStack } from "../support/local-stack.ts";
import { runProgram } from "../support/processes.ts";
import { pressLink } from "./press-link.ts";

// The operator's commands on a deployment, which they know by its stage only.

let stack: LocalStack;
let server: FakeCloudFormation;
let aws: Record<string, string>;
beforeAll(async () => {
  stack = await openSharedStack();
  const environment: Record<string, string> = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));
  const account = "123456789012";
  const output = (name: keyof typeof env) => environment[env[name]] ?? "";
  server = await openFakeCloudFormation({
    stacks: {
      "ParleyData-example": {
        account,
        outputs: {
          TableName: output("table"),
          KeyId: output("keyId"),
          UploadBucketName: output("uploadBucket"),
          JournalBucketName: output("journalBucket"),
          RootSecretId: output("rootSecretId"),
          PlatformSecretId: output("platformSecretId"),
        },
      },
      "ParleyService-example": {
        account,
        outputs: {
          BaseUrl: output("baseUrl"),
          ...Object.fromEntries(queues.map((name) => [`${name}QueueUrl`, output(queueUrlNames[name])])),
        },
      },
    },
  });
  const ofAws = Object.entries(environment).filter(([name]) => /^AWS_(ENDPOINT|ACCESS|SECRET|SESSION)/.test(name));
  aws = { ...Object.fromEntries(ofAws), AWS_ENDPOINT_URL_CLOUDFORMATION: server.url, PARLEY_DATA: "/nonexistent" };
});
afterAll(async () => {
  await Promise.all([stack?.stop(), server?.close()]);
});

/** Runs a command with the access to AWS in the environment, and no variable of the deployment. */
async function run(...args: string[]) {
  const program = runProgram("bin/admin", [...args, "--stage", "example"], aws);
  return { code: await program.exitCode, output: program.output(), errors: program.errors() };
}

it("a command with --stage works on the deployment whose stacks it reads, without any variable of it", async () => {
  const created = await run("tenant", "create", "staged-shop", "--owner", "owner@example.com", "--json");
  expect([created.code, created.errors]).toEqual([0, ""]);
  const key = await run("key", "create", "--tenant", "staged-shop", "--scope", "live", "--json");
  expect([key.code, key.errors]).toEqual([0, ""]);
  const { secret } = JSON.parse(key.output);
  expect((await stack.api("GET", "/v1/accounts", undefined, secret)).body.data).toEqual({ accounts: [] });
  // The local stack is the same deployment.
  const again = await runAdmin(stack.dataDir, "tenant", "create", "staged-shop", "--owner", "owner@example.com");
  expect(again.errors).toBe("Tenant staged-shop already exists. Use another slug.\n");
});

it("the dead letters of a stage are listed, and a redrive finds the queues", async () => {
  expect(JSON.parse((await run("dlq", "list", "--json")).output)).toEqual({ dead_letters: [], more: false });
  const { code, output } = await run("dlq", "redrive", "--all", "--json");
  expect([code, JSON.parse(output)]).toMatchObject([0, { refused: 0, failed: 0, unknown: 0 }]);
});

it("the owner of a tenant gets a sign-in link and an audit row, and a stranger gets one line and none", async () => {
  const { code, output } = await run("sign-in-link", "Owner@local.invalid", "--json");
  expect(code).toBe(0);
  const { email, link, tenants } = JSON.parse(output);
  expect([email, tenants]).toEqual(["owner@local.invalid", ["demo"]]);
  expect(link).toMatch(new RegExp(`^${stack.info.base_url}/console/auth/verify\\?token=[\\w-]{43}$`));
  const audit = await stack.api("GET", "/v1/audit?limit=100");
  expect(JSON.stringify(audit.body.data)).toMatch(/"action":"session.create_link"[^}]*"actor":"cli"/);

  const stranger = await run("sign-in-link", "stranger@example.com");
  expect([stranger.code, stranger.output]).toEqual([1, ""]);
  expect(stranger.errors).toBe(
    "stranger@example.com is no member, invited person or named owner. Name an owner with tenant create or tenant invite-owner.\n",
  );
});

it("a sign-in link of the local stack opens the console, and a mistyped address is one line", async () => {
  const { code, output } = await runAdmin(stack.dataDir, "sign-in-link", "owner@local.invalid", "--json");
  expect(code).toBe(0);
  const { link } = JSON.parse(output);
  // With --stage the command has the time of this machine, which that of a stack may be ahead of.
  const response = await pressLink(link);
  expect([response.status, new URL(response.headers.get("location") ?? "", link).pathname]).toEqual([303, "/app"]);
  const mistyped = await runAdmin(stack.dataDir, "sign-in-link", "owner");
  expect(mistyped).toEqual({
    code: 1,
    output: "",
    errors: "Missing or invalid email address. Add it after sign-in-link.\n",
  });
});

it("doctor finds nothing wrong with the local stack, and skips what exists only in AWS", async () => {
  const { code, output } = await runAdmin(stack.dataDir, "doctor", "--json");
  const { ok, checks } = JSON.parse(output) as { ok: boolean; checks: { check: string; status: string }[] };
  expect([code, ok]).toEqual([0, true]);
  const named = (status: string) => checks.filter((each) => each.status === status).map(({ check }) => check);
  expect(named("ok")).toEqual(["stacks", "table", "key", "secrets", "queues", "version", "app", "callbacks"]);
  expect(named("skipped")).toEqual(["account", "bootstrap", "concurrency", "existing", "mail", "alarm topic"]);
});
