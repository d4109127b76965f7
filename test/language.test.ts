import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// Refuses the words and names of the table in CONTRIBUTING.md in documents, code, messages and pages.

const project = fileURLToPath(new URL("..", import.meta.url));
const self = "test/language.test.ts";

/** Words of a private dialect, with the plain words for them. */
const refusedWords: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, "again, new"],
  [/\bwhatever\b/i, "any, regardless of"],
  [/\bonce more\b/i, "again"],
  [/\bwho(m|so)?ever\b/i, "the caller, the process, anyone"],
  [/\bmeanwhile\b/i, "since then, at the same time"],
  [/\bwhat (became|becomes|came|comes) of\b/i, "the result of, the status of"],
  [/\bnobody knows\b/i, "it is unknown"],
  [/\b(left|leave|leaves|leaving) alone\b/i, "circuit open"],
  [/\blook(s|ed|ing)? into\b/i, "inspect"],
  [/\b(put|puts|putting) right\b/i, "fix"],
  [/\bbegun\b/i, "started"],
  [/\buntroubled\b/i, "closed"],
  [/\b(hence|thus|henceforth)\b/i, "so, therefore"],
  [/\b(tell|tells|telling|told)\b/i, "publish, notify, report"],
  [/\bkept\b(?!`, `given)/i, "stored, saved"],
  [/(?<!screen readers (?:do not )?)\bannounc(e|es|ed|ing|ement)\b/i, "publish, report"],
  [/\b(wish|wishes|wished)\b/i, "option"],
  [/\bglimpses?\b/i, "snapshot"],
  [/\bpatien(ce|tly)\b/i, "retry"],
];

/** Identifiers that were replaced by the field's terms. */
const refusedNames =
  /\b(letGo|moveBreaker|keepBreaker|afterAttempts|noteAttempt|keepWatch|[gG]limpse|peek|retell|takeMessage|takeChange|takePolicy|settleEarly|earlyChanges?|AccountHome|findHome|announcementOf|tellFailure|tellPaused|keepEcho|asSent|keepSent|takeConsequences|handOver|onceByKey|standBy|putOff|waitAgain|Gathered|lookInto|KeptLetter|transactPatiently|beforeAnother|whenConditionHolds|notYetThere|stillThere|DuePlace|sweptUpTo|markSwept|lookUps|keepPace|standingOf|overBy|lookAtHold|judgeFailing|saidGone|AskedBy|Asker|entryOf|setHost|Unable|inWords|wireOf|lanes?|house|strikes|parked|dice|shelf|storyOf|partsOf)\b/;

/** Variables of the product that do not say what they hold. */
const bareParticiples =
  /\b(const|let) (asked|begun|chosen|claimed|decoded|deleted|found|given|kept|known|listed|matched|needed|own|parsed|taken|wanted)\b/;

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: project,
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => /\.(ts|js|md|html|css|cjs|json)$/.test(path))
  .filter((path) => path !== self && !["package-lock.json", "LICENSE"].includes(path));

const lines = files.flatMap((path) =>
  readFileSync(`${project}${path}`, "utf8")
    .split("\n")
    .map((text, index) => ({ text, where: `${path}:${index + 1}` }))
    // The table of refused words itself.
    .filter(({ text, where }) => !(where.startsWith("CONTRIBUTING.md:") && text.startsWith("|"))),
);

test("the whole project is read", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files).toContain("README.md");
});

/** The words of a line, also those inside `camelCase` and `snake_case`. */
const splitWords = (text: string) => text.replace(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll("_", " ");

test.each(refusedWords)("%s is written as: %s", (word) => {
  const uses = lines.filter(({ text }) => word.test(text) || word.test(splitWords(text)));
  expect(uses.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});

test("replaced names are not used again", () => {
  const uses = lines.filter(({ text, where }) => !/\.md:/.test(where) && refusedNames.test(text));
  expect(uses.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});

test("a variable of the product is named for what it holds", () => {
  const uses = lines.filter(({ text, where }) => /^(?!test\/).*\.ts:/.test(where) && bareParticiples.test(text));
  expect(uses.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});

// `Promise.all` throws while other works are in progress, and then a worker may answer before they have ended.
test("the product awaits several works with allDone", () => {
  const uses = lines.filter(
    ({ text, where }) =>
      /^(functions|shared)\//.test(where) &&
      !where.startsWith("shared/base/kernel/parallel.ts:") &&
      text.includes("Promise.all("),
  );
  expect(uses.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});

test("an expected error has a message that no other error has", () => {
  const vague = /(?<!not)\.toThrow(Error)?\(\s*(\)|"[^"]{0,3}"|\/[^/]{0,3}\/)/;
  const uses = lines.filter(({ text }) => vague.test(text));
  expect(uses.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});
