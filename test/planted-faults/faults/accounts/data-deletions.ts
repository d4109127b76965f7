import type { PlantedFault } from "../../planted-fault.ts";

const interruptions = "test/features/accounts/flows/platform-callbacks/interrupted-deletion.test.ts";
const repetitions = "test/features/accounts/flows/platform-callbacks/repeated-deletion.test.ts";
const deauthorizations = "test/features/accounts/flows/platform-callbacks/deauthorization.test.ts";
const deletions = "test/features/accounts/flows/platform-callbacks/data-deletion.test.ts";
const deleteData = "shared/features/accounts/flows/platform-callbacks/delete-data.ts";
const eraseConversations = "shared/features/accounts/flows/platform-callbacks/erase-conversations.ts";
const store = "shared/features/accounts/store/data-deletions.ts";

export const dataDeletionFaults: readonly PlantedFault[] = [
  {
    name: "a repeated data deletion starts again",
    file: deleteData,
    search: "(isRepeated ? [] : erasable)",
    replacement: "erasable",
    killedBy: {
      file: repetitions,
      title:
        "a data deletion that comes after its account was connected again erases nothing when it is repeated, and has the same code",
    },
  },
  {
    name: "a deauthorization lets a later connection go",
    file: "shared/features/accounts/flows/platform-callbacks/authorized-accounts.ts",
    search: "if (!connected || isOthers || connectedAt(connected) > issuedAt) return;",
    replacement: "if (!connected || isOthers) return;",
    killedBy: {
      file: deauthorizations,
      title: "the removal of the app on the platform that was issued %s the account was connected again",
    },
  },
  {
    name: "a data deletion erases what is newer than its request",
    file: eraseConversations,
    search: "upTo: keepsNewer ? pending.requestedAt : undefined }",
    replacement: "upTo: undefined }",
    killedBy: {
      file: repetitions,
      title:
        "a data deletion that comes after its account was connected again erases what is older than the request, and nothing newer, where the account %s",
    },
  },
  {
    name: "a data deletion does not wait for the workers that know the account",
    file: eraseConversations,
    search: "if (wait > 0) return requeue(ports, pending, START, wait);",
    replacement: "if (wait < 0) return requeue(ports, pending, START, wait);",
    killedBy: {
      file: deletions,
      title: "a data deletion erases what is stored in the two minutes in which workers still know the account",
    },
  },
  {
    name: "an account of a data deletion is in no due bucket",
    file: store,
    search: "[Row.ttl]: ttl, ...toDue(dueAt, account.code) };",
    replacement: "[Row.ttl]: ttl };",
    killedBy: {
      file: interruptions,
      title:
        "a data deletion whose messages are lost is continued by a sweep half an hour later, without a repeated request",
    },
  },
  {
    name: "the status of a data deletion is in no due bucket",
    file: store,
    search: "toDue(now + DATA_DELETION_OVERDUE, code);",
    replacement: "{};",
    killedBy: {
      file: interruptions,
      title:
        "a data deletion whose request dies ends where the request freezes at any call and continues when the erasing has ended",
    },
  },
  {
    name: "a repeated data deletion makes due only what the login still names",
    file: deleteData,
    search: "  for (const account of others) await ports.dataDeletions.makeDue(account, due.dueAt);\n",
    replacement: "",
    killedBy: {
      file: interruptions,
      title:
        "a data deletion whose messages are lost begins again at once when the request is repeated, although no row of the login is left",
    },
  },
  {
    name: "an earlier run of a data deletion goes on beside the newest",
    file: eraseConversations,
    search: "if ((task.run ?? null) !== pending.run || !(await",
    replacement: "if (!(await",
    killedBy: {
      file: interruptions,
      title:
        "a data deletion whose messages are lost has one run: a message of an earlier one, however late, does nothing",
    },
  },
  {
    name: "a data deletion is queued again while a run works on it",
    file: eraseConversations,
    search: "return isFar || dataDeletions.postpone(pending, now + DATA_DELETION_OVERDUE);",
    replacement: "return isFar || dataDeletions.postpone(pending, now);",
    killedBy: {
      file: interruptions,
      title:
        "a data deletion whose messages are lost is not queued again while a run works on it for longer than half an hour",
    },
  },
  {
    name: "a data deletion is done while an earlier run erases a conversation in the background",
    file: eraseConversations,
    search: "!pass.erased && !(await isErasing(ports, pending))",
    replacement: "!pass.erased",
    killedBy: {
      file: interruptions,
      title: "a data deletion is not done while an earlier run still erases a conversation in the background",
    },
  },
  {
    name: "a data deletion reads the whole inbox in each pass",
    file: eraseConversations,
    search: "floor: pass.began - CLOCK_MARGIN",
    replacement: "floor: undefined",
    killedBy: {
      file: "test/costs/data-deletions.test.ts",
      title: "the inbox of a tenant is read once, however many passes there are",
    },
  },
];
