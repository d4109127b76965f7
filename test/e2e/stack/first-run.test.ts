import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { unconnectedAccounts } from "#simulator";
import { banner } from "../../../local/stack/banner.ts";
import { openSeedPorts } from "../../../local/stack/seed-ports.ts";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT, readPage } from "../../docs/markdown.ts";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin } from "../support/admin.ts";
import type { ListedMessage } from "../support/api-response.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { runProgram } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

// The first hour of a developer: the commands that `npm run local` prints, on an empty inbox and in order.

const stack = openedOnce(startLocalStack);

const HELLO = "Hello from a test";

/** The commands that the stack printed, in order. */
function printedCommands(): string[] {
  const text = banner(stack.info, { dataDir: stack.dataDir, cwd: PROJECT, startedIn: 0 });
  return text
    .split("\n")
    .filter((line) => /^ {2}.*(npm run|curl) /.test(line))
    .map((line) => line.trim());
}

interface ShellRun {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function runInShell(command: string): Promise<ShellRun> {
  return new Promise((resolve) => {
    execFile("bash", ["-c", command], { cwd: PROJECT, env: cleanEnvironment() }, (error, output, errors) =>
      // npm warns about its own settings of this machine.
      resolve({
        code: error === null ? 0 : Number(error.code),
        output,
        errors: errors.replace(/^npm warn .*\n/gm, ""),
      }),
    );
  });
}

/** As in a developer's shell: no setting of a stack, and without the folder of the installed programs. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(PARLEY_|AWS_|VITEST|npm_)/.test(name));
  const path = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(entries), PATH: path.join(":") };
}

async function listMessages(): Promise<readonly ListedMessage[]> {
  return (await stack.api("GET", "/v1/messages")).body.data.messages;
}

describe("on an empty inbox", () => {
  it.each(["reply", "hold"])("%s says in one line how to get a message", async (command) => {
    const { code, output, errors } = await runAdmin(stack.dataDir, command, "Hello");
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toBe('The inbox is empty. Write a message as a person first: npm run admin -- message "Hi".\n');
  });

  it.each(["reply", "hold"])("%s without a text asks for it", async (command) => {
    const { code, errors } = await runAdmin(stack.dataDir, command);
    expect(code).toBe(1);
    expect(errors).toBe(`Missing text. Add it in quotes: npm run admin -- ${command} "Hello".\n`);
  });
});

it("the commands that npm run local prints work in their order: events are printed, a message arrives and is answered, and it is listed", async () => {
  const [listen = "", message = "", reply = "", list = "", ...rest] = printedCommands();
  expect(rest).toEqual([]);
  const listening = spawn("bash", ["-c", listen], { cwd: PROJECT, env: cleanEnvironment(), detached: true });
  const endOfListening = new Promise((resolve) => listening.once("close", resolve));
  const stopListening = () => process.kill(-(listening.pid ?? 0), "SIGINT");
  onTestFinished(() => {
    if (listening.exitCode === null && listening.signalCode === null) stopListening();
  });
  let printed = "";
  listening.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await waitFor("listen is ready", () => printed.includes("Press Ctrl-C to stop."));

  expect(await runInShell(message)).toMatchObject({ code: 0, errors: "" });
  expect((await listMessages()).map(({ direction, text }) => [direction, text])).toEqual([["inbound", "Hi"]]);
  expect(await runInShell(reply)).toMatchObject({ code: 0, errors: "" });
  expect((await listMessages()).map(({ direction, text }) => [direction, text])).toEqual([
    ["outbound", "Hello"],
    ["inbound", "Hi"],
  ]);
  await waitFor("both events are printed", () => /"message\.received"[\s\S]*"message\.sent"/.test(printed));
  expect(printed).toMatch(/^\S+Z message\.received evt_[0-9A-Z]{26} 200 \d+ ms$/m);
  expect(printed).toContain('"text": "Hi"');
  const listed = await runInShell(list);
  expect(JSON.parse(listed.output)).toMatchObject({ ok: true, data: { conversations: [{ can_reply: true }] } });
  stopListening();
  await endOfListening;
  expect(printed).toMatch(/Endpoint \S+ was deleted\.\n$/);
});

it("the quick start of README.md has only commands that a test runs", () => {
  const [quickStart = ""] = readPage("README.md").split("## API");
  const commands = codeBlocks("README.md").filter(({ code }) => quickStart.includes(code.split("\n")[0] ?? ""));
  expect(commands.flatMap(({ code }) => code.trim().split("\n"))).toEqual([
    // node-version.test.ts, and the first start of a new checkout
    "npm ci && npm run local",
    // above and below
    "npm run admin -- listen",
    'npm run admin -- message "Hi"',
    'npm run admin -- reply "Hello"',
    // listen.test.ts
    "npm run admin -- listen --forward-to http://127.0.0.1:9000/hooks",
    'SIGNING_SECRET="whs_…" PORT=9000 npx node docs/guides/receivers/receiver.ts',
    // admin clock and admin hold
    "npm run admin -- clock 25h",
    'npm run admin -- reply "Sorry for the delay"',
    'npm run admin -- hold "Sorry for the delay" --actor ann',
  ]);
});

it("admin message writes as a named person to a named account, and prints the ids as JSON", async () => {
  const args = ["message", "two", "words", "--account", "@parleyshop", "--person", "Ann Lee", "--json"];
  const { code, output } = await runAdmin(stack.dataDir, ...args);
  expect(code).toBe(0);
  const { conversation_id, message_id } = JSON.parse(output) as Record<string, string>;
  expect(conversation_id).toMatch(/^CONV#demo#messenger#100000000000001#\d+$/);
  const found = await stack.api("GET", `/v1/messages/${encodeURIComponent(message_id ?? "")}`);
  expect(found.body.data.message).toMatchObject({ direction: "inbound", text: "two words" });
  const { people } = await stack.sim<{ people: { name: string }[] }>("GET", "/state");
  expect(people.map(({ name }) => name)).toContain("Ann Lee");
});

it("admin message says at once that its key is refused, for instance because the tenant is suspended", async () => {
  const program = runProgram("bin/admin", ["message", "Hi"], {
    PARLEY_DATA: stack.dataDir,
    PARLEY_KEY: "svc_live_x",
  });
  expect(await program.exitCode).toBe(1);
  expect(program.errors()).toMatch(
    /^The local stack refused to list the accounts \(unauthorized\): [^\n]+\nDocumentation: http:\S+\/docs\/errors#unauthorized\n$/,
  );
});

it("admin message lists the accounts for an unknown one", async () => {
  const { code, errors } = await runAdmin(stack.dataDir, "message", "Hi", "--account", "unknown");
  expect(code).toBe(1);
  expect(errors).toBe("Unknown account unknown. Use one of parley_studio, parley_shop, parleyshop.\n");
});

it("admin message writes to an account that was connected after the start", async () => {
  const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));
  const at = await stack.now();
  const page = unconnectedAccounts.find(({ handle }) => handle === "lanternbooks");
  if (!page) throw new Error("The simulator has no such page.");
  await openSeedPorts({ environment, now: () => at }).connectAccount("demo", {
    ...page,
    token: "EAA-late",
    authorizedBy: [],
  });
  await stack.sim("POST", "/subscriptions", { account: page.externalId, connection: page.connection });
  const { code, output } = await runAdmin(stack.dataDir, "message", "Hi", "--account", "lanternbooks");
  expect(code).toBe(0);
  expect(output).toContain(`conversation_id: CONV#demo#messenger#${page.externalId}#`);
});

it("admin clock prints the time of the stack, advances it, and refuses what is no duration", async () => {
  const now = async (...args: string[]) => {
    const { output } = await runAdmin(stack.dataDir, "clock", ...args, "--json");
    return Date.parse((JSON.parse(output) as { now: string }).now);
  };
  const before = await now();
  const minutes = ((await now("90m")) - before) / 60_000;
  expect(minutes).toBeGreaterThanOrEqual(90);
  expect(minutes).toBeLessThan(95);
  expect((await now("PT1H")) - before).toBeGreaterThanOrEqual(150 * 60_000);
  const refused = await runAdmin(stack.dataDir, "clock", "tomorrow");
  expect(refused.code).toBe(1);
  expect(refused.errors).toBe(
    "Invalid duration: tomorrow. Use a number with s, m, h, d or w, such as 25h, or ISO 8601.\n",
  );
});

it("admin hold advises to advance the clock within 24 hours; after them it prints the link, and reply advises to hold", async () => {
  await runAdmin(stack.dataDir, "message", "Are you there?");
  const early = await runAdmin(stack.dataDir, "hold", HELLO);
  expect(early.code).toBe(1);
  expect(early.errors).toMatch(
    /^The local stack refused the message \(human_agent_unavailable\): [^\n]+ Advance the clock of the stack: npm run admin -- clock 25h\.\nDocumentation: \S+#human_agent_unavailable\n$/,
  );
  expect((await runAdmin(stack.dataDir, "clock", "25h")).code).toBe(0);
  const late = await runAdmin(stack.dataDir, "reply", HELLO);
  expect(late.errors).toMatch(
    /^The local stack refused the reply \(window_closed\): [^\n]+ Hold a message instead: npm run admin -- hold "Hello"\.\nDocumentation: \S+#window_closed\n$/,
  );
  const { code, output } = await runAdmin(stack.dataDir, "hold", HELLO, "--actor", "ann");
  expect(code).toBe(0);
  const [, url = ""] = /^verify_url: (\S+)$/m.exec(output) ?? [];
  expect((await fetch(url)).status).toBe(200);
  expect(output).toMatch(/^hold_id: hold_\w+$/m);
});

it("the program prints its help for --help and exits with 0", async () => {
  const { code, output, errors } = await runInShell("npm run --silent admin -- --help");
  expect([code, errors]).toEqual([0, ""]);
  expect(output).toContain("npm run admin -- reply TEXT");
});

it("the program names the nearest command for a mistyped one and exits with 1", async () => {
  const { code, output, errors } = await runAdmin(join(PROJECT, "nowhere"), "repyl", "Hello");
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toMatch(/^Unknown command: repyl Hello\. Did you mean reply\? [^\n]+\n$/);
});
