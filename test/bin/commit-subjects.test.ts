import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PROJECT } from "../docs/markdown.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-commits-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Commits with these subjects, the oldest first. */
function openHistory(subjects: readonly string[]): string {
  const folder = newFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com", ...args]);
  git("init", "--quiet");
  for (const subject of subjects) git("commit", "--quiet", "--allow-empty", "--message", subject);
  return folder;
}

function check(folder: string): { status: number | null; errors: string } {
  const { status, stderr } = spawnSync(process.execPath, [join(PROJECT, "bin/commit-subjects.ts"), folder]);
  return { status, errors: stderr.toString() };
}

it("a commit's subject has a type, a concept and a sentence of at most 72 characters in all", () => {
  expect(check(openHistory(["feat(inbox): a late answer counts once", `fix(aws): ${"a".repeat(61)}`]))).toEqual({
    status: 0,
    errors: "",
  });
});

it.each(["x", "fixup! feat(inbox): a reply", "feat: a reply", "feat(Inbox): a reply", `fix(aws): ${"a".repeat(63)}`])(
  "a commit with the subject %s is refused",
  (subject) => {
    const { status, errors } = check(openHistory(["feat(inbox): a late answer counts once", subject]));
    expect(status).toBe(1);
    expect(errors).toBe(`"${subject}": write "type(concept): behavior in one sentence", at most 72 characters.\n`);
  },
);

it("a copy without its history has no commit to judge", () => {
  expect(check(newFolder())).toEqual({ status: 0, errors: "" });
});
