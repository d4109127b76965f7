import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import { escapeHtml } from "#base/kernel/text/html.ts";
import { printJson, printLine, printLines, printProblem } from "../../bin/admin/text/print.ts";
import { formatTable } from "../../bin/admin/text/text-table.ts";
import { ParleyError } from "../../packages/client/src/errors.ts";
import { plantedIn, plantedText } from "../support/files/planted-characters.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
afterEach(() => vi.restoreAllMocks());

it.each([
  ["lines", "stdout", () => printLines(formatTable(["LABEL"], [[plantedText("key", "end")]]))],
  ["one line", "stdout", () => printLine(`label: ${plantedText("key", "end")}`)],
  ["a problem", "stderr", () => printProblem(plantedText("The local stack refused the reply: key", "end"))],
  ["JSON", "stdout", () => printJson({ label: plantedText("key", "end") })],
] as const)("what a command prints has no planted character: %s", (_, stream, print) => {
  const written: string[] = [];
  vi.spyOn(process[stream], "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  print();
  expect(plantedIn(written.join(""))).toEqual([]);
  expect(written.join("")).toMatch(/key.*x.*end/s);
});

it("what a command prints has one line for each row of a table, and for a value", () => {
  expect(formatTable(["LABEL"], [[plantedText("key", "end")], ["other\nkey"]]).split("\n")).toHaveLength(3);
  const written: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  printLine(`label: ${plantedText("key\n", "end")}`);
  expect(written.join("").trimEnd().split("\n")).toHaveLength(1);
});

it("what a command prints leaves through these functions alone", () => {
  const files = globSync("bin/{admin.ts,admin/**/*.ts}", { cwd: root });
  const writers = files.filter((file) =>
    /\bconsole\.|std(out|err)\.write/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(writers).toEqual(["bin/admin/text/print.ts"]);
});

it("an error of the client has no planted character", () => {
  const error = new ParleyError({
    code: "send_failed",
    message: plantedText("No", "."),
    detail: plantedText("a", "b"),
  });
  expect(plantedIn(`${error.message}${error.detail}${error.stack}`)).toEqual([]);
});

it("a page of the simulator's login has no planted character", () => {
  expect(plantedIn(escapeHtml(plantedText("<name", ">")))).toEqual([]);
  expect(escapeHtml(plantedText("<name", ">"))).toMatch(/^&lt;name.*&gt;$/s);
});
