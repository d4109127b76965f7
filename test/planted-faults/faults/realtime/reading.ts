import type { PlantedFault } from "../../planted-fault.ts";

const erasure = "test/features/realtime/flows/push/erasure.test.ts";
const excerptTest = "test/features/realtime/flows/push/conversation-excerpt.test.ts";
const pushEvents = "test/features/realtime/flows/push/push-events.test.ts";
const updates = "test/features/realtime/flows/push/updates.test.ts";
const excerpt = "shared/features/realtime/flows/push/conversation-excerpt.ts";

/** Faults of what is read before a push: conversations, held messages and uploads. */
export const readingFaults: readonly PlantedFault[] = [
  {
    name: "a conversation is pushed from a read that is behind",
    file: excerpt,
    search: "isRecentlyErased || isCurrent(first, refs) ? first : await read(true)",
    replacement: "first",
    killedBy: {
      file: pushEvents,
      title: "an event of a message is read again, consistently, when the first answer lacks it or has an older head",
    },
  },
  {
    name: "a head that is older than its message is pushed",
    file: excerpt,
    search: `message !== undefined && (message.scope === "test" || head.lastAt >= message.sentAt)`,
    replacement: "message !== undefined",
    killedBy: {
      file: pushEvents,
      title: "an event of a message is read again, consistently, when the first answer lacks it or has an older head",
    },
  },
  {
    name: "a read without the head counts as an end of the conversation",
    file: excerpt,
    search: "    head !== null &&\n",
    replacement: "    head === null ||\n",
    killedBy: {
      file: pushEvents,
      title: "an event of a message is read again, consistently, when the first answer lacks it or has an older head",
    },
  },
  {
    name: "a message of a conversation without a head fails",
    file: excerpt,
    search: "  if (!head) return null;\n",
    replacement: "",
    killedBy: {
      file: excerptTest,
      title: "a conversation without a head is over: nothing of it is pushed, and nothing fails",
    },
  },
  {
    name: "a message that was unsent is pushed",
    file: excerpt,
    search: " || message.unsentAt !== undefined ?",
    replacement: " ?",
    killedBy: {
      file: excerptTest,
      title: "a message that was unsent is not pushed, and the others of its conversation are",
    },
  },
  {
    name: "conversations are read consistently forever after an erasure",
    file: excerpt,
    search: "erasedAt !== null && erasedAt > now - ERASURE_IS_RECENT",
    replacement: "erasedAt !== null",
    killedBy: {
      file: excerptTest,
      title: "a conversation is read once and consistently within five minutes of an erasure of the tenant",
    },
  },
  {
    name: "a message of a test key has its conversation read twice",
    file: excerpt,
    search: `message.scope === "test" || head`,
    replacement: "head",
    killedBy: {
      file: excerptTest,
      title: "a conversation is read once and eventually consistently, when the answer has its messages and their head",
    },
  },
  {
    name: "an erased message is pushed with the conversation that follows it",
    file: excerpt,
    search: "message === undefined || isErased ||",
    replacement: "message === undefined ||",
    killedBy: {
      file: erasure,
      title: "an event from before an erasure shows nothing when the person has written again",
    },
  },
  {
    name: "a held message of another tenant is pushed",
    file: "shared/features/realtime/flows/push/push-hold.ts",
    search: "stored?.tenant !== tenant ||",
    replacement: "!stored ||",
    killedBy: {
      file: updates,
      title: "a held message of another tenant, or one that can no longer be read, is not pushed",
    },
  },
  {
    name: "an upload of another tenant is pushed",
    file: "shared/features/realtime/flows/push/push-upload.ts",
    search: "stored?.tenant !== tenant ||",
    replacement: "!stored ||",
    killedBy: {
      file: updates,
      title: "an upload of another tenant, or one older than a day, is not pushed",
    },
  },
  {
    name: "an upload that can no longer be read is pushed",
    file: "shared/features/realtime/flows/push/push-upload.ts",
    search: " || !isUploadReadable(uploadId, now)",
    replacement: "",
    killedBy: {
      file: updates,
      title: "an upload of another tenant, or one older than a day, is not pushed",
    },
  },
  {
    name: "a timer pushes a held message that was sent",
    file: "shared/features/realtime/flows/push/push-hold.ts",
    search: `  if (hold.timer && push.state.status !== "expired" && push.state.status !== "failed") return drop("stale");\n`,
    replacement: "",
    killedBy: { file: updates, title: "a held message that was sent is not pushed again by its timer" },
  },
];
