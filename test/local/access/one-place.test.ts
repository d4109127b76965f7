import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { printError, printLine } from "#loopback/terminal.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));

/** The files of the local stack and of its packages, without the page in the browser, that contain the expression. */
function filesWith(expression: RegExp): string[] {
  const files = globSync("{local,packages/{local-aws,loopback,simulator}}/**/*.ts", {
    cwd: project,
    exclude: ["packages/simulator/src/page/**"],
  });
  return files.filter((file) => expression.test(readFileSync(`${project}/${file}`, "utf8"))).sort();
}

it("every port of the local stack is opened by one file, and one looks for a free port of an engine", () => {
  expect(filesWith(/\bcreateServer\(|\.listen\(|new Server\(|createSecureServer/)).toEqual([
    "packages/local-aws/src/dynamodb/engine.ts",
    "packages/loopback/src/loopback-server.ts",
  ]);
});

it("everything that the local stack prints is printed by one file", () => {
  expect(filesWith(/\bconsole\.\w+\(|process\.std(out|err)\.write/)).toEqual(["packages/loopback/src/terminal.ts"]);
});

it("what is printed moves no cursor, hides nothing and has its lines", () => {
  const hostile = "a\u001b[2Jb\u202ec\u200bd\r\nline";
  const printed: unknown[] = [];
  vi.spyOn(console, "log").mockImplementation((text) => printed.push(text));
  vi.spyOn(console, "error").mockImplementation((text) => printed.push(text));
  printLine(hostile);
  printError(hostile);
  printError("failed:", new Error(hostile));
  vi.restoreAllMocks();
  expect(printed.slice(0, 2)).toEqual(["a [2Jbcd\nline", "a [2Jbcd\nline"]);
  expect(printed[2]).toMatch(/^failed: Error: a \[2Jbcd\nline\n/);
});
