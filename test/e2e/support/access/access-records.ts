import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AccessRecord } from "#local-aws/iam/access-control.ts";
import { matchesPattern } from "#local-aws/iam/patterns.ts";

/** The file of a stack's data folder in which it records what its functions may do and did. */
export const RECORDS = "access.jsonl";

/** What the stacks of a run recorded together. */
export interface AccessRun {
  /** `Deliver kms:Decrypt TokenKey if …` */
  readonly granted: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
  /** `Deliver may not sqs:SendMessage on EventsQueue: …` */
  readonly denied: ReadonlySet<string>;
}

/**
 * Saves the records of a stack before its data folder is removed. What a template with other settings grants does not
 * count.
 */
export function saveRecords(dataDir: string, folder: string, hasOtherTemplate: boolean): void {
  const file = join(dataDir, RECORDS);
  const name = `${hasOtherTemplate ? "other" : "default"}-${randomUUID()}.jsonl`;
  if (existsSync(file)) copyFileSync(file, join(folder, name));
}

/** Reads the records in a folder: files that `saveRecords` wrote, or those of a data folder. */
export function readRecords(folders: readonly string[]): AccessRun {
  const run = { granted: new Set<string>(), used: new Set<string>(), denied: new Set<string>() };
  for (const folder of folders) {
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".jsonl"))) {
      const lines = readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => line !== "");
      for (const line of lines) addRecord(run, JSON.parse(line) as AccessRecord, name.startsWith("other-"));
    }
  }
  return run;
}

function addRecord(
  run: { readonly [Kind in keyof AccessRun]: Set<string> },
  record: AccessRecord,
  isOther: boolean,
): void {
  if (record.kind === "denied") {
    const { action, resource, reason } = record;
    run.denied.add(`${record.function} may not ${action} on ${resource}${reason === null ? "" : `: ${reason}`}`);
  } else if (record.kind === "used" || !isOther) run[record.kind].add(`${record.function} ${record.grant}`);
}

/** A grant that the tests with a stack do not use, and why it is needed. */
export interface UnusedGrant {
  /** Patterns of `<function> <action> <resource>`, in which `*` is any text. */
  readonly grants: readonly string[];
  readonly reason: string;
}

/**
 * What is wrong with the access of a run: each denial and, if its tests are all that use grants, each grant that neither is
 * used nor an exception, and each exception for what is used. Empty: nothing.
 */
export function findAccessProblems(run: AccessRun, exceptions: readonly UnusedGrant[] | null): string[] {
  const problems = [...run.denied].toSorted();
  if (exceptions === null) return problems;
  const unused = [...run.granted].filter((grant) => !run.used.has(grant));
  const patterns = exceptions.flatMap(({ grants }) => grants);
  const isExcepted = (grant: string): boolean => patterns.some((pattern) => matchesPattern(pattern, grant));
  const surplus = unused.filter((grant) => !isExcepted(grant)).toSorted();
  const needless = patterns.filter((pattern) => !unused.some((grant) => matchesPattern(pattern, grant)));
  return [
    ...problems,
    ...surplus.map((grant) => `${grant} is granted and no test uses it: remove the grant, or argue the exception`),
    ...needless.map((pattern) => `${pattern} is an exception that is no longer needed`),
  ];
}
