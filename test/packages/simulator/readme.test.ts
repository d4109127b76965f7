import { globSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Simulator, startSimulator } from "#simulator";
import { controlRoutes } from "../../../packages/simulator/src/control/control.ts";
import { personKinds } from "../../../packages/simulator/src/control/person-events.ts";
import { faultModes } from "../../../packages/simulator/src/world/faults.ts";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT, readPage } from "../../docs/markdown.ts";
import { controlHeaders, testControlToken } from "../../support/access/control-token.ts";

const PAGE = "packages/simulator/README.md";
const page = readPage(PAGE);
const section = (title: string): string => page.split(`### ${title}\n`)[1]?.split("\n#")[0] ?? "";
/** The names in backticks of the first column. */
const firstColumn = (text: string): string[] =>
  [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );

let simulator: Simulator;
const receiver = createServer((request, response) => {
  request.resume();
  response.end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  simulator = await startSimulator({
    port: 0,
    webhookBase: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    metaSecret: "m",
    instagramSecret: "i",
    verifyToken: "v",
    controlToken: testControlToken,
  });
});
afterAll(async () => {
  await simulator.close();
  receiver.close();
});

it("the README lists each control route once", () => {
  const routes = firstColumn(page.split("### ")[0] ?? "").filter((name) => /^(GET|POST) /.test(name));
  expect(routes.toSorted()).toEqual(Object.keys(controlRoutes).toSorted());
});

it("the README lists each kind of action and each fault once", () => {
  expect(firstColumn(section("Actions of a person")).toSorted()).toEqual([...personKinds].toSorted());
  expect(firstColumn(section("Faults")).toSorted()).toEqual([...faultModes].toSorted());
});

const requests = codeBlocks(PAGE).filter(({ language }) => language === "http");

it.each(requests.map(({ code }) => code))("the example is accepted: %s", async (code) => {
  const [line = "", ...rest] = code.split("\n");
  const body = rest.join("\n");
  const [method = "", path = ""] = line.split(" ");
  const headers = { ...controlHeaders(), "content-type": "application/json" };
  const answer = await fetch(simulator.url + path, { method, headers, body });
  expect(answer.status).toBe(200);
  const [, shown] = page.split(code)[1]?.split("```json\n") ?? [];
  // The answer is shown below the first example.
  if (code !== requests[0]?.code) return;
  expect(Object.keys((await answer.json()) as object)).toEqual(
    Object.keys(JSON.parse((shown ?? "{}").split("```")[0] ?? "{}") as object),
  );
});

it("the README names every field that a control route reads", () => {
  const source = globSync("packages/simulator/src/control/*.ts", { cwd: PROJECT }).map((path) => readPage(path));
  const fields = source.flatMap((text) => [...text.matchAll(/(?:optional|required)\w+\(\s*fields,\s*"(\w+)"/g)]);
  expect(fields.length).toBeGreaterThan(30);
  for (const [, name] of fields) expect(page).toContain(`\`${name}\``);
});
