import type { PlantedFault } from "../planted-fault.ts";

const file = "test/functions/trace.test.ts";

export const traceFaults: readonly PlantedFault[] = [
  {
    name: "a send that the sweep settles has no trace id",
    file: "shared/features/sending/flows/settle-due.ts",
    search: "runWithTrace(due.traceId ?? null, () =>",
    replacement: "runWithTrace(null, () =>",
    killedBy: { file, title: "one trace id follows a reply that the sweep settles to the event of its failure" },
  },
  {
    name: "a held message continues the trace id of its check",
    file: "shared/features/holds/flows/release.ts",
    search: "runWithTrace(hold.traceId ?? currentTraceId(), () =>",
    replacement: "runWithTrace(currentTraceId(), () =>",
    killedBy: {
      file,
      title: "one trace id follows a held message, not the check that releases it, to the event of its send",
    },
  },
  {
    name: "an erasure in the background has no trace id",
    file: "functions/erase/worker.ts",
    search: "runWithTrace(message.traceId ?? null, () =>",
    replacement: "runWithTrace(null, () =>",
    killedBy: { file, title: "one trace id follows an erasure to its last pass" },
  },
  {
    name: "an erasure that waits after a dead letter has no trace id",
    file: "shared/features/delivery/store/due-attempts.ts",
    search: `        [A.op]: op,
        [A.traceId]: traceId,`,
    replacement: "        [A.op]: op,",
    killedBy: { file, title: "one trace id follows an erasure whose message became a dead letter to its last pass" },
  },
  {
    name: "a due attempt has no trace id",
    file: "shared/features/delivery/store/due-attempts.ts",
    search: "        [A.traceId]: due.traceId,\n",
    replacement: "",
    killedBy: {
      file,
      title:
        "one trace id follows a webhook from the intake through each wait to the last attempt, and then the request that replays it",
    },
  },
  {
    name: "a lookup of a profile has no trace id",
    file: "functions/profile/worker.ts",
    search: "runWithTrace(traceId, () =>",
    replacement: "runWithTrace(null, () =>",
    killedBy: { file, title: "one trace id follows a webhook to the profile of its person" },
  },
  {
    name: "a replayed delivery does not store the trace id of its replay",
    file: "shared/features/delivery/store/delivery-starts.ts",
    search: "...(delivery.traceId === undefined ? {} : { [A.traceId]: delivery.traceId }),",
    replacement: "",
    killedBy: { file, title: "one trace id follows a replay whose attempt was lost and found overdue" },
  },
  {
    name: "an overdue attempt that is queued again has no trace id",
    file: "shared/features/delivery/flows/sweep/overdue.ts",
    search: ", ...traceField(traceId) });",
    replacement: " });",
    killedBy: { file, title: "one trace id follows a webhook to an attempt that was lost and found overdue" },
  },
  {
    name: "a log line has no trace id",
    file: "shared/base/aws/log.ts",
    search: "traceId === null ? line : { ...line, trace_id: traceId }",
    replacement: "line",
    killedBy: {
      file: "test/base/aws/log.test.ts",
      title: "the log adds the trace id of the work that writes the line",
    },
  },
];
