import { expect, it } from "vitest";
import { allRows } from "../../../support/flows/data-subject.ts";
import { runInterleavings } from "../../../support/flows/races/erasure-race.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";

const INTERLEAVINGS = repetitions({ whole: 40, sample: 15 });
const testEnv = openedOnce(openTestEnv);

it(`an erasure removes everything older and nothing newer, in ${INTERLEAVINGS} interleavings`, async () => {
  await runInterleavings(testEnv, { from: 1, count: INTERLEAVINGS });
}, 120_000);

it("an erasure leaves only its markers, and no waiting send", async () => {
  const rows = await allRows(testEnv);
  expect(rows.filter(({ PK, c }) => PK.startsWith("QS#") && c !== undefined)).toEqual([]);
  const erasureRows = rows.filter(({ PK }) => PK.startsWith("ER#"));
  expect(erasureRows.length).toBeGreaterThan(0);
  // `ro` is the id of a start that was refused.
  const attributesOf = (row: object) => Object.keys(row).filter((name) => name !== "ro");
  const shapes = new Set(erasureRows.map((row) => attributesOf(row).sort().join()));
  expect([...shapes].sort()).toEqual(["PK,SK,ea,x", "PK,SK,k,x"]);
});
