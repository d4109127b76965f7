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
  [/\bnobodys?\b/i, "no one, no tenant, no process; unknown"],
  [
    /\b(lead|leading) to\b|\bleads\b(?![ -]on\b)|\b(is|are|was|were) led\b|\bled (back|to)\b/i,
    "redirects to, links to, refers to, opens, results in",
  ],
  [/\b(give|gives|giving|gave|given) (\w+ ){0,4}up\b/i, "abandon, stop"],
  [/\b(use|uses|using|used) (\w+ ){0,4}up\b(?! to)/i, "consume"],
  [/\b(take|takes|taking|took|taken) (over )?(the|its|their) place\b/i, "replace"],
  [/\b(let|lets|letting) (\w+ ){0,4}go\b|\babout to go\b/i, "disconnect, end"],
  [/\bby now\b/i, "already, in the meantime"],
  [/\bfill(s|ed|ing)? (a |the )?gaps?\b|\b(queued?|queues|notes|noted|judge) (a |the )?gaps?\b/i, "backfill"],
  [/\b(messages|threads) of (a|the|that) gap\b|\bgaps? of (every|messages|webhooks)\b/i, "missing messages"],
  [/\b(accounts?|pages) (\w+ ){0,5}alive\b|\balive an account\b/i, "the calls of an account's health checks"],
  // A hand-over is that of an upload, or of a conversation to another app.
  [
    /\bhand(s|ed|ing)? (it|them) over\b(?! to the platform)|\bhand(s|ed|ing)? over (an? |the )?([\w-]+ )?(link|secret)\b/i,
    "give",
  ],
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

/** Names that were replaced by the field's terms, also as a part of another name. */
const refusedNames: readonly string[] = [
  "moveBreaker",
  "keepBreaker",
  "afterAttempts",
  "noteAttempt",
  "keepWatch",
  "glimpse",
  "peek",
  "retell",
  "takeMessage",
  "takeChange",
  "takePolicy",
  "settleEarly",
  "earlyChange",
  "earlyChanges",
  "AccountHome",
  "findHome",
  "announcementOf",
  "tellFailure",
  "tellPaused",
  "keepEcho",
  "asSent",
  "keepSent",
  "takeConsequences",
  "onceByKey",
  "standBy",
  "putOff",
  "waitAgain",
  "Gathered",
  "lookInto",
  "KeptLetter",
  "transactPatiently",
  "beforeAnother",
  "whenConditionHolds",
  "notYetThere",
  "stillThere",
  "DuePlace",
  "sweptUpTo",
  "markSwept",
  "lookUps",
  "keepPace",
  "standingOf",
  "overBy",
  "lookAtHold",
  "judgeFailing",
  "saidGone",
  "AskedBy",
  "Asker",
  "entryOf",
  "setHost",
  "Unable",
  "inWords",
  "wireOf",
  "lane",
  "lanes",
  "house",
  "strikes",
  "parked",
  "dice",
  "shelf",
  "storyOf",
  "partsOf",
  "verificationAttempt",
  "verificationAttempts",
  "verificationFailures",
  "verificationWindow",
];

/** Variables of the product that do not say what they hold. */
const bareParticiples =
  /\b(const|let) (asked|begun|chosen|claimed|decoded|deleted|found|given|kept|known|listed|matched|needed|own|parsed|taken|wanted)\b/;

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: project,
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => /\.(tsx?|js|md|html|css|cjs|json|txt)$/.test(path))
  .filter((path) => path !== self && !["package-lock.json", "LICENSE"].includes(path))
  // A released document stays as it was published.
  .filter((path) => !path.startsWith("docs/released/"));

/** Operations in the messages of a queue, and the files that have them: the queue's schema, and the tests of its messages. */
const wireNames = /\b(let_go|fill_gap)\b/g;
const hasWireNames = (path: string) =>
  path === "shared/features/accounts/queue.ts" || path.startsWith("test/base/queues/");

/** Texts in other languages than English, whose words are their own. */
const isForeign = (path: string) => /^shared\/base\/languages\/(de|es|fr|it|pt)\.ts$/.test(path);

/** The lines of all files, and their paths. */
const lines = files
  .filter((path) => !isForeign(path))
  .flatMap((path) => [
    { text: path, where: `${path}:0` },
    ...readFileSync(`${project}${path}`, "utf8")
      .split("\n")
      .map((text, index) => ({
        text: hasWireNames(path) ? text.replace(wireNames, "") : text,
        where: `${path}:${index + 1}`,
      }))
      // The table of refused words itself.
      .filter(({ text, where }) => !(where.startsWith("CONTRIBUTING.md:") && text.startsWith("|"))),
  ]);

/** Where each text stands. Half of the lines stand in several places, and each text is searched once. */
const places = Map.groupBy(lines, ({ text }) => text);
const usesOf = (texts: readonly string[]) =>
  texts.flatMap((text) => (places.get(text) ?? []).map(({ where }) => `${where} ${text.trim()}`));

test("the whole project is read", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files).toContain("README.md");
});

/** The words of a text, also those inside `camelCase`, `snake_case`, `CAPITALS_OF_A_CONSTANT` and `kebab-case`. */
const splitWords = (text: string) =>
  text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .replace(/(?<=[A-Za-z])-(?=[A-Za-z])/g, " ");

test.each(["letGo", "completeLetGo", "let-go.ts", "not_let_go_yet", "LET_GO_DELAY", "givenUp", "wasGivenUp"])(
  "%s is found inside a name",
  (name) => {
    expect(refusedWords.some(([word]) => word.test(splitWords(name)))).toBe(true);
  },
);

const wordsByText = [...places.keys()].map((text) => ({ text, words: splitWords(text) }));

test.each(refusedWords)("%s is written as: %s", (word) => {
  const uses = wordsByText.filter(({ text, words }) => word.test(text) || (words !== text && word.test(words)));
  expect(usesOf(uses.map(({ text }) => text))).toEqual([]);
});

/** Whether a refused name is a name in the text, or a part of one. */
const usesRefusedName = (text: string) => (text.match(/[A-Za-z_][\w-]*/g) ?? []).some(isRefusedName);
const refusals = new Map<string, boolean>();
/** A name that stands in many lines is split once. */
function isRefusedName(name: string): boolean {
  const known = refusals.get(name);
  if (known !== undefined) return known;
  const words = ` ${splitWords(name).toLowerCase()} `;
  const isRefused = refusedPhrases.some((phrase) => words.includes(phrase));
  refusals.set(name, isRefused);
  return isRefused;
}
const refusedPhrases = refusedNames.map((name) => ` ${splitWords(name).toLowerCase()} `);

test.each(["keepEcho", "keepEchoTwice", "KEEP_ECHO", "keep-echo"])("%s has a replaced name in it", (name) => {
  expect(usesRefusedName(`the ${name} of it`)).toBe(true);
});

test("replaced names are not used again", () => {
  const uses = lines.filter(({ text, where }) => !/\.md:/.test(where) && usesRefusedName(text));
  expect(uses.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});

test("a variable of the product is named for what it holds", () => {
  const uses = lines.filter(({ text, where }) => /^(?!test\/).*\.tsx?:/.test(where) && bareParticiples.test(text));
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
