import type { PlantedFault } from "../../planted-fault.ts";

const folder = "test/features/accounts/flows/health-checks";
const refusals = `${folder}/refusals.test.ts`;
const recover = `${folder}/recover.test.ts`;

export const healthCheckFaults: readonly PlantedFault[] = [
  {
    name: "a valid page token ends needs_reauth although the account's reads are refused",
    file: "shared/features/accounts/flows/health-checks/check-token.ts",
    search: "if (refused.accountStatus !== null) return",
    replacement: "if (refused.accountStatus === undefined) return",
    killedBy: {
      file: `${folder}/page-token.test.ts`,
      title: "a page token that is valid for an account whose %s the platform refuses stays needs_reauth",
    },
  },
  {
    name: "a refused send requests no check",
    file: "shared/features/accounts/call-consequences.ts",
    search: "  if (account) await requestCheck(ports, call);\n",
    replacement: "",
    killedBy: { file: refusals, title: "%s of %s that was wrong is taken back at once, without a mail" },
  },
  {
    name: "the review that an app lacks ends the access of an account",
    file: "shared/platforms/api/refusal-table.ts",
    search: '[appNeedsReview, "200/2018028',
    replacement: '[needsReauth, "200/2018028',
    killedBy: { file: refusals, title: "%s of %s says nothing of the account" },
  },
  {
    name: "a block for abuse leaves the account active",
    file: "shared/platforms/api/refusal-table.ts",
    search: '"10/1893063 100/2534029 2022 368"',
    replacement: '"10/1893063 100/2534029 2022"',
    killedBy: { file: refusals, title: "%s of %s ends with the check after its hour" },
  },
  {
    name: "too many calls do not pause the account",
    file: "shared/platforms/api/errors.ts",
    search: 'meaning.class === "rate" ? coolDownDuration(response) : null',
    replacement: "null",
    killedBy: { file: refusals, title: "too many calls (%s) of %s pause the account and leave its status" },
  },
  {
    name: "needs_reauth is taken back by every check that finds the access good",
    file: "shared/features/accounts/rules/account-health.ts",
    search: "return recoveredAt === null || now - recoveredAt >= RECOVERY_INTERVAL;",
    replacement: "return recoveredAt === null || now >= recoveredAt;",
    killedBy: {
      file: recover,
      title:
        "needs_reauth by a refused send is taken back once a day at most, if the platform says yes to checks and no to sends",
    },
  },
  {
    name: "threads that the platform did not list count as compared",
    file: "shared/features/accounts/flows/health-checks/check-threads.ts",
    search: 'if (!refused) return "unanswered";',
    replacement: 'if (!refused) return "compared";',
    killedBy: {
      file: `${folder}/threads.test.ts`,
      title: "threads are compared from the same time by the next check, where the platform does not answer",
    },
  },
  {
    name: "threads that the platform refuses to list count as compared",
    file: "shared/features/accounts/flows/health-checks/check-threads.ts",
    search: 'return "refused";',
    replacement: 'return "compared";',
    killedBy: {
      file: `${folder}/threads.test.ts`,
      title:
        "threads that the platform refuses to list leave the account as it is, and are compared from the same time later",
    },
  },
  {
    name: "the steps of a check wait for a refresh that fails",
    file: "shared/features/accounts/flows/health-checks/refresh-token.ts",
    search: 'if (!refused) return applyFinding(ports, unfinished, { kind: "refresh_unknown", detail });',
    replacement: 'if (!refused) return applyFinding(ports, unfinished, { kind: "refresh_unknown", detail }, "later");',
    killedBy: {
      file: `${folder}/instagram-token.test.ts`,
      title: "an Instagram token whose refresh had no answer keeps its status, and is tried again the next hour",
    },
  },
  {
    name: "threads that moved long before a check are not compared",
    file: "shared/features/accounts/flows/health-checks/check-threads.ts",
    search: "updatedAt > since &&",
    replacement: "updatedAt > now - HISTORY_AGE_MIN * 2 &&",
    killedBy: {
      file: `${folder}/threads.test.ts`,
      title:
        "threads of which nothing is stored have their messages fetched, and the account shows since when some may be missing",
    },
  },
  {
    name: "a refresh that had no answer is left to the next day",
    file: "shared/features/accounts/flows/health-checks/refresh-token.ts",
    search: "const unfinished = { ...visit, isUnfinished: true };",
    replacement: "const unfinished = { ...visit, isUnfinished: false };",
    killedBy: {
      file: `${folder}/crash.test.ts`,
      title: "a refresh of the token is repeated the next hour if its answer is lost",
    },
  },
];
