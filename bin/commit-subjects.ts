// Refuses a commit whose subject has another form than CONTRIBUTING.md says: `node bin/commit-subjects.ts [folder]`. It reads the
// last commits, so a branch is judged before it is merged. A copy without its history has nothing to judge.

import { execFileSync } from "node:child_process";

const COMMITS = 40;
const SUBJECT_MAX = 72;
/** A type, a concept, and the behavior: `fix(inbox): a late answer counts once`. */
const FORM = /^(feat|fix|perf|refactor|test|docs|bench|build|chore|style)\([a-z0-9-]+\): \S/;

const [folder = "."] = process.argv.slice(2);
const refused = readSubjects().filter((subject) => subject.length > SUBJECT_MAX || !FORM.test(subject));
for (const subject of refused)
  console.error(`"${subject}": write "type(concept): behavior in one sentence", at most ${SUBJECT_MAX} characters.`);
process.exitCode = refused.length > 0 ? 1 : 0;

function readSubjects(): string[] {
  try {
    const options = ["--no-merges", `--max-count=${COMMITS}`, "--format=%s"];
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    return execFileSync("git", ["-C", folder, "log", ...options], { stdio })
      .toString()
      .split("\n")
      .filter((subject) => subject !== "");
  } catch {
    console.log("The commits are not checked: this copy has no history.");
    return [];
  }
}
