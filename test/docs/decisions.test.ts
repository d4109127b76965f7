import { describe, expect, it } from "vitest";
import { pages, readPage } from "./markdown.ts";

const FOLDER = "docs/decisions/";
const decisions = pages.filter((page) => page.startsWith(FOLDER) && page !== `${FOLDER}README.md`);
const index = readPage(`${FOLDER}README.md`);

describe.each(decisions)("%s", (page) => {
  const text = readPage(page);
  const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
  const [, date, status] = /^Date: (\d{4}-\d{2}-\d{2}) · Status: (\w+)$/m.exec(text) ?? [];

  it("a decision has a context, a decision and consequences, in this order", () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Context", "Decision", "Consequences"]);
  });

  it("a decision is in the index with its number, title, date and status", () => {
    const file = page.slice(FOLDER.length);
    expect(file).toMatch(new RegExp(`^${String(number).padStart(4, "0")}-`));
    expect(index).toContain(`| ${number} | [${title}](${file}) | ${date} | ${status} |`);
  });
});

it("no number of a decision stands twice", () => {
  const numbers = decisions.map((page) => page.slice(FOLDER.length, FOLDER.length + 4));
  expect(new Set(numbers).size).toBe(decisions.length);
  expect(decisions.length).toBeGreaterThan(0);
});
