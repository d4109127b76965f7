import type { PlantedFault } from "../planted-fault.ts";

const purgeTest = "test/features/inbox/flows/purge-raw-webhooks.test.ts";
const lettersTest = "test/features/dead-letters/flows/purge-webhooks.test.ts";

const hours = {
  file: "test/functions/sweep/purge-hours.test.ts",
  title:
    "nothing is stored longer than its retention in any hour of three days, although runs die at each call (%i ms after the hour)",
};

export const retentionFaults: readonly PlantedFault[] = [
  {
    name: "a purge removes only what has ended, and the next one is too late",
    file: "shared/features/inbox/rules/raw-webhooks.ts",
    search: "return now + PURGE_INTERVAL - RETENTION;",
    replacement: "return now - RETENTION;",
    killedBy: {
      file: purgeTest,
      title:
        "an hourly purge ends raw copies and large webhooks within seven days of their arrival, and none two hours before that",
    },
  },
  {
    name: "the file of a raw copy is named by the time of its processing",
    file: "shared/features/inbox/flows/inbound-webhooks.ts",
    search: "({ receivedAt }) => rawCopiesFolder(receivedAt)",
    replacement: "() => rawCopiesFolder(now)",
    killedBy: {
      file: purgeTest,
      title: "an hourly purge counts from the arrival of a webhook that was processed days later",
    },
  },
  {
    name: "the file of a batch's raw copies is named by its first record only",
    file: "shared/features/inbox/rules/raw-webhooks.ts",
    search: "recordIds.join()",
    replacement: '""',
    killedBy: {
      file: "test/functions/ingest/worker.test.ts",
      title: "a batch of webhooks whose first record is retried alone does not overwrite the copies of the others",
    },
  },
  {
    name: "a purge ends after the first requests",
    file: "shared/base/files/purge-files.ts",
    search: "if (!hasMore) return true;",
    replacement: "return true;",
    killedBy: { file: purgeTest, title: "an hourly purge lists further pages until the first file that stays" },
  },
  {
    name: "a file that cannot be deleted keeps the files of the other ranges",
    file: "shared/base/files/purge-files.ts",
    search: "purged.faults.push(result.reason)",
    replacement: "throw result.reason",
    killedBy: {
      file: "test/features/uploads/flows/purge.test.ts",
      title: "a purge deletes what else is due, and fails, although %s",
    },
  },
  {
    name: "a refused deletion of a file is not noticed",
    file: "shared/base/aws/files.ts",
    search: "if (Errors.length > 0)",
    replacement: "if (Errors.length < 0)",
    killedBy: { file: purgeTest, title: "an hourly purge fails when S3 refuses to delete a file" },
  },
  {
    name: "the dead letter of a redriven webhook counts from its redrive",
    file: "shared/features/dead-letters/flows/quarantine.ts",
    search: "Math.min(letter.sentAt, webhook.receivedAt)",
    replacement: "letter.sentAt",
    killedBy: {
      file: lettersTest,
      title: "the dead letter of a webhook that was redriven counts from its first arrival",
    },
  },
  {
    name: "a dead letter is stored behind the last purge",
    file: "shared/features/dead-letters/flows/quarantine.ts",
    search: "letter.sentAt < purgedBefore(now)",
    replacement: "letter.sentAt < 0",
    killedBy: {
      file: lettersTest,
      title: "the dead letter of a webhook is not stored when the next purge would be too late for it",
    },
  },
  {
    name: "a purge leaves the copies of uploads",
    file: "shared/features/uploads/flows/purge.ts",
    search: "[POSTED_PREFIX, COPY_PREFIX]",
    replacement: "[POSTED_PREFIX]",
    killedBy: hours,
  },
  {
    name: "a purge deletes the files of an hour in which uploads can still be finished",
    file: "shared/features/uploads/rules/uploads.ts",
    search: "- UPLOAD_STORED_MAX + HOUR",
    replacement: "- UPLOAD_STORED_MAX + 2 * HOUR",
    killedBy: hours,
  },
];
