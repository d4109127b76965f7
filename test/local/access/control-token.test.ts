import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { controlTokenProblem, loadControlToken, simulatorPageUrl } from "../../../local/access/control-token.ts";
import { LocalRefusal } from "../../../local/support/local-refusal.ts";

const folder = mkdtempSync(join(tmpdir(), "control-token-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("a control token is random, created once, and its owner's alone", () => {
  const file = join(folder, "created");
  const token = loadControlToken(file);
  expect(token.value).toMatch(/^[0-9a-f]{40}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadControlToken(file)).toEqual(token);
  expect(loadControlToken(join(folder, "other")).value).not.toBe(token.value);
});

it.each(["", "\n", "short", "a token with spaces in it"])("a file with %j is refused with the fix", (text) => {
  const file = join(folder, "damaged");
  writeFileSync(file, text);
  expect(() => loadControlToken(file)).toThrow(LocalRefusal);
  expect(() => loadControlToken(file)).toThrow("Remove the file");
});

it("a call needs the token as its bearer token, and else is refused with where it is", () => {
  const token = { value: "0123456789abcdef", location: "It is in the test." };
  for (const authorization of ["Bearer 0123456789abcdef", "bearer  0123456789abcdef"])
    expect(controlTokenProblem(authorization, token)).toBeNull();
  expect(controlTokenProblem(undefined, token)).toBe(
    "Missing control token. Send it as Authorization: Bearer <token>. It is in the test.",
  );
  const others = ["", "Bearer", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef", "Bearer 0123456789abcdef x"];
  for (const authorization of [
    ...others,
    "Bearer 0123456789abcdee",
    "Bearer 0123456789abcde",
    "Bearer 0123456789abcdef0",
  ])
    expect(controlTokenProblem(authorization, token)).toContain("Wrong control token.");
});

it("the page's link has the token where a browser does not send it", () => {
  expect(new URL(simulatorPageUrl("http://127.0.0.1:1", "t")).hash).toBe("#token=t");
});
