import type { PlantedFault } from "../../planted-fault.ts";

const flow = "shared/features/uploads/flows/hand-over.ts";
const outcomes = "test/features/uploads/flows/hand-over.test.ts";
const accounts = "test/features/uploads/flows/hand-over-account.test.ts";
const faults = "test/features/uploads/flows/hand-over-faults.test.ts";

export const handOverFaults: readonly PlantedFault[] = [
  {
    name: "an upload that the platform takes too late becomes ready",
    file: "shared/features/uploads/store/uploads.ts",
    search: "condition: above(Upload.processingAt, now - UPLOAD_PROCESSING_MAX),",
    replacement: "condition: above(Upload.processingAt, now - 2 * UPLOAD_PROCESSING_MAX),",
    killedBy: {
      file: outcomes,
      title: "an upload that failed stays failed when the platform takes it after the time has passed",
    },
  },
  {
    name: "an upload is handed over after its time has passed",
    file: flow,
    search: "  if (now >= uploadLeavesBy(state.processingAt)) return",
    replacement: "  if (now >= uploadLeavesBy(state.processingAt) + 3_600_000) return",
    killedBy: {
      file: faults,
      title:
        "a fault that stays comes again after seconds, then minutes, and ends as internal_error after five minutes",
    },
  },
  {
    name: "a reader shows the end by time without storing it",
    file: "shared/features/uploads/flows/read.ts",
    search: 'const ended = await ports.uploads.lapse(upload.id, uploadError("internal_error"), now);',
    replacement: "const ended = { ...upload, state: uploadStateAt(upload, now) };",
    killedBy: {
      file: "test/features/uploads/flows/hand-over-faults.test.ts",
      title: "a hand-over that freezes before any call changes no end that a reader saw",
    },
  },
  {
    name: "the copy of a settled upload stays when its message comes again",
    file: flow,
    search: "if (!isProcessing(upload)) return completeEnd(ports, { upload, repeated }, time.now());",
    replacement: "if (!isProcessing(upload)) return done;",
    killedBy: {
      file: outcomes,
      title:
        "an upload that the platform takes is ready although its copy cannot be deleted at first, and the copy is deleted five seconds later",
    },
  },
  {
    name: "a failed call of an upload is not counted",
    file: flow,
    search: "  if (state.tries + 1 >= TRIES_MAX) return",
    replacement: "  if (state.tries >= TRIES_MAX) return",
    killedBy: { file: outcomes, title: "an upload fails the second time with %s" },
  },
  {
    name: "a status that a hand-over changed is not published after its process died",
    file: flow,
    search: "  if (account) await republishAccountStatus(ports, call, account);\n  const read =",
    replacement: "  const read =",
    killedBy: {
      file: faults,
      title: "a hand-over changes the account's status once after a refusal, with one event, if its message comes %s",
    },
  },
  {
    name: "a status that a hand-over changed is not published after a reader stored the end of the upload",
    file: flow,
    search: "if (account && isEndByTime && state.processingAt !== null)",
    replacement: "if (false)",
    killedBy: {
      file: faults,
      title: "a hand-over changes the account's status once after a refusal, with one event, if its message comes %s",
    },
  },
  {
    name: "an upload that met a pause is tried again during the pause",
    file: flow,
    search: "{ error, after: coolDownMs }",
    replacement: "{ error, after: RETRY_DELAY }",
    killedBy: {
      file: accounts,
      title: "after a refusal of the rate, an upload whose time lasts longer than the pause waits for its end, and %s",
    },
  },
  {
    name: "a refused upload changes nothing for its account",
    file: flow,
    search: "  await applyAccountRefusal(ports, call, { ...refusal, at: time.now() });\n",
    replacement: "",
    killedBy: {
      file: accounts,
      title: "a refusal changes the account as that of a send does, %s: the status is %s, with one event",
    },
  },
  {
    name: "the copy of an upload whose conversation is erased during the call stays",
    file: flow,
    search: '  return counted && isProcessing(counted) ? retry("platform", after) : removeCopy(ports, upload);',
    replacement: '  return counted && isProcessing(counted) ? retry("platform", after) : done;',
    killedBy: {
      file: accounts,
      title:
        "an upload whose conversation is erased during the call ends without a row and without a copy when the platform %s",
    },
  },
];
