import { expect, it } from "vitest";
import type { Account } from "#client";
import { parseFinished } from "../../../../web/console/overview/start/finished.ts";
import { type StartFacts, startSteps } from "../../../../web/console/overview/start/steps.ts";
import { conversation } from "../data/conversations.ts";

const nothing: StartFacts = {
  accounts: [],
  conversations: [],
  received: 0,
  answered: 0,
  members: 1,
  invites: 0,
  endpoints: 0,
};
const wrote = conversation("a", { inbound: 1_000 });
const answered = conversation("b", { inbound: 1_000, outbound: 2_000 });
const sentFirst = conversation("c", { inbound: null, outbound: 2_000 });

it.each([
  [{}, []],
  [{ accounts: [{} as Account] }, ["connect"]],
  [{ conversations: [wrote] }, ["receive"]],
  [{ conversations: [answered] }, ["receive", "answer"]],
  [{ conversations: [sentFirst] }, []],
  [{ received: 1 }, ["receive"]],
  [{ received: 1, answered: 1 }, ["receive", "answer"]],
  [{ members: 2 }, ["further"]],
  [{ invites: 1 }, ["further"]],
  [{ endpoints: 1 }, ["further"]],
] as const)("a workspace with %o has done the steps %o", (facts, done) => {
  const steps = startSteps({ ...nothing, ...facts });
  expect(steps.map(({ name }) => name)).toEqual(["connect", "receive", "answer", "further"]);
  expect(steps.filter(({ isDone }) => isDone).map(({ name }) => name)).toEqual(done);
});

it("anything but a list of workspaces in the storage of the browser counts as none", () => {
  expect(parseFinished('["acme", 1, null, "north"]')).toEqual(["acme", "north"]);
  for (const text of [null, "", "{", "{}", '"acme"']) expect(parseFinished(text)).toEqual([]);
  expect(parseFinished(JSON.stringify(Array.from({ length: 300 }, String)))).toHaveLength(100);
});
