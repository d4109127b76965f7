import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect, inject, it } from "vitest";
import { env } from "#base/config/names.ts";
import { clientSettings } from "../../../functions/admin/tenant-ports.ts";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin } from "../support/admin.ts";
import { readTable } from "../support/dump-table.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { runProgram } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

// `smoke` on the local stack. `test/full/smoke-kill.test.ts` kills it at each step.

const stack = openedOnce(openSharedStack);
const rowsOfSmoke = async () => (await readTable(stack)).filter((row) => JSON.stringify(row).includes("smoke-"));
const environment = (): Record<string, string> =>
  JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));

it("smoke takes a message through the stack, also twice at once, and leaves nothing but the taken slug", async () => {
  const { pending } = await stack.sim<{ pending: unknown[] }>("GET", "/state");
  const programs = (inject("fullRun") ? [1, 2] : [1]).map(() =>
    runProgram("bin/admin", ["smoke"], { PARLEY_DATA: stack.dataDir }),
  );
  await waitFor("both erased", () => programs.every((program) => program.output().includes("erasure")), {
    seconds: 30,
  });
  // Each has removed its rows for the first time.
  await waitFor("both wait", async () => (await rowsOfSmoke()).every(({ PK }) => !String(PK).startsWith("CONV#")));
  for (const program of programs) {
    // Before the deletion ends, which takes minutes.
    expect(program.output()).toMatch(
      /^ok {2}erasure +\d+\.\d s\nEvery step passed\. The deletion of smoke-\w{26} [^\n]+, 3 minutes apart\.\n[^\n]+\n$/m,
    );
    expect(program.child.exitCode).toBeNull();
  }
  while (programs.some(({ child }) => child.exitCode === null)) await stack.clock("PT3M1S");
  for (const program of programs) {
    expect([await program.exitCode, program.errors()]).toEqual([0, ""]);
    const steps = [...program.output().matchAll(/^ok {2}(\w+) +\d+\.\d s$/gm)].map(([, step]) => step);
    expect(steps.slice(0, 10)).toEqual([
      ...["address", "signature", "tenant", "socket", "webhook", "message", "frame", "reply", "erasure", "deletion"],
    ]);
  }
  const rest = await rowsOfSmoke();
  expect(rest.map(({ PK }) => String(PK).replace(/smoke-\w{26}/, "<slug>"))).toEqual(programs.map(() => "T#<slug>"));
  // Nothing was sent to a platform.
  expect((await stack.sim<{ pending: unknown[] }>("GET", "/state")).pending).toEqual(pending);
});

it.each([
  [
    "another app secret",
    "wrong secret",
    /^Step signature failed: The deployment refuses the signature of the app secret \(40\d [^\n]+\n$/,
  ],
  ["empty app secrets", "", /^Step signature failed: Both app secrets are empty\. [^\n]+\n$/],
])("smoke with %s changes nothing, and prints one line with the step", async (_name, meta, line) => {
  const before = await rowsOfSmoke();
  const client = new SecretsManagerClient(clientSettings(environment()).services);
  const SecretString = JSON.stringify({ meta, instagram: "", verify_token: "" });
  const { ARN = "" } = await client.send(new CreateSecretCommand({ Name: `Other${meta.length}`, SecretString }));
  client.destroy();
  const program = runProgram("bin/admin", ["smoke"], { ...environment(), [env.platformSecretId]: ARN });
  expect([await program.exitCode, program.output()]).toEqual([1, expect.stringMatching(/^ok {2}address .+\n$/)]);
  expect(program.errors()).toMatch(line);
  expect(await rowsOfSmoke()).toEqual(before);
});

it("smoke at an address at which nothing answers is one line with the step", async () => {
  const program = runProgram("bin/admin", ["smoke"], { ...environment(), [env.baseUrl]: "http://127.0.0.1:1" });
  expect([await program.exitCode, program.output()]).toEqual([1, ""]);
  expect(program.errors()).toMatch(
    /^Step address failed: http:\/\/127\.0\.0\.1:1 does not answer \([^)]+\)\. [^\n]+\n$/,
  );
});

it("smoke takes no further argument", async () => {
  const { code, errors } = await runAdmin(stack.dataDir, "smoke", "now");
  expect([code, errors]).toEqual([1, "Unexpected argument: now. Run npm run admin -- --help for all commands.\n"]);
});
