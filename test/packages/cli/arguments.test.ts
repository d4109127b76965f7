import { spawnSync } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import { commands, options } from "#cli/command-list.ts";
import { completion } from "#cli/completion.ts";
import { run } from "#cli/run.ts";
import { parseEventTypes } from "#cli/target/event-types.ts";

/** What a run prints. */
async function outputOf(...args: string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await run(args);
    return write.mock.calls.map(([text]) => text).join("");
  } finally {
    write.mockRestore();
  }
}

test("the help of parley lists each command with its sentence", async () => {
  const help = await outputOf("--help");
  for (const [name, { summary }] of Object.entries(commands)) {
    expect(help).toMatch(new RegExp(`^ {2}${name} +${summary.replace(/[.*()|]/g, "\\$&")}$`, "m"));
  }
});

test.each(Object.entries(commands))("the help of parley %s names each of its options", async (name, command) => {
  const help = await outputOf(name, "--help");
  expect(help).toContain(`Usage: parley ${command.usage}`);
  for (const option of command.options) expect(help).toContain(`--${option}`);
  expect(await outputOf("help", name)).toBe(help);
});

test.each([
  [["lisen"], "Unknown command: lisen. Did you mean listen?"],
  [["constructor"], "Unknown command: constructor."],
  [["listen", "--foward-to", "x"], "Unknown option: --foward-to. Did you mean --forward-to?"],
  [["listen", "--account", "a"], "listen has no option --account. Run parley listen --help."],
  [["clock", "--url", "https://a.example.com"], "clock has no option --url."],
  [["listen", "--forward-to"], "--forward-to"],
  [["completion", "tcsh"], "Missing or unknown shell."],
  [
    ["listen", "http://127.0.0.1:9000/hooks"],
    "Unexpected argument: http://127.0.0.1:9000/hooks. Did you mean --forward-to http://127.0.0.1:9000/hooks? Run parley listen --help.",
  ],
  [
    ["listen", "message.sent,message.received"],
    "Unexpected argument: message.sent,message.received. Did you mean --events message.sent,message.received?",
  ],
  [["doctor", "https://a.example.com"], "Did you mean --url https://a.example.com? Run parley doctor --help."],
  [["dev", "9000"], "Unexpected argument: 9000. Did you mean --port 9000? Run parley dev --help."],
  [["logs", "follow"], "Unexpected argument: follow. Did you mean --follow? Run parley logs --help."],
  [["env", "now"], "Unexpected argument: now. Run parley env --help."],
  [["clock", "25h", "16m"], "Unexpected argument: 16m. Run parley clock --help."],
  [["open", "docs", "console"], "Unexpected argument: console. Run parley open --help."],
])("parley refuses %j with the nearest name or the fix", async (args, message) => {
  await expect(run(args)).rejects.toThrow(message);
});

test.each([
  ["message.recieved", "Unknown event type: message.recieved. Did you mean message.received?"],
  ["message.sent, mesage.edited", "Unknown event type: mesage.edited. Did you mean message.edited?"],
  ["hold.updated,x", "Unknown event type: hold.updated. Use message.received, message.sent, "],
  [" , ", "Missing event type."],
])("the types %j are refused with the nearest name or all", (text, message) => {
  expect(() => parseEventTypes(text)).toThrow(message);
});

test("blanks beside the commas of types do not count", () => {
  expect(parseEventTypes("message.sent, message.received,")).toEqual(["message.sent", "message.received"]);
  expect(parseEventTypes(undefined)).toBeUndefined();
});

describe("the completion", () => {
  test("the completion of bash is valid and completes commands, words and options", () => {
    const script = `${completion("bash", commands, options)}
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _parley; echo "\${COMPREPLY[*]}"; }
complete_line parley li
complete_line parley open si
complete_line parley listen --fo`;
    const shell = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
    expect(shell.stderr).toBe("");
    expect(shell.stdout).toBe("listen\nsimulator\n--forward-to\n");
  });

  test.each(["zsh", "fish"] as const)("the completion of %s names every command and option", (shell) => {
    const script = completion(shell, commands, options);
    for (const [name, command] of Object.entries(commands)) {
      expect(script).toContain(name);
      for (const option of command.options) expect(script).toContain(option);
    }
  });

  const shells = { zsh: ["-n"], fish: ["--no-execute"] } as const;
  for (const [shell, args] of Object.entries(shells)) {
    const isInstalled = spawnSync(shell, ["--version"]).status === 0;
    test.skipIf(!isInstalled)(`the completion of ${shell} is valid${isInstalled ? "" : ` (no ${shell} here)`}`, () => {
      const input = completion(shell, commands, options);
      expect(spawnSync(shell, args, { input, encoding: "utf8" }).stderr).toBe("");
    });
  }
});
