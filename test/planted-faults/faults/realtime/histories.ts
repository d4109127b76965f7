import type { PlantedFault } from "../../planted-fault.ts";

const stream = "test/histories/stream.test.ts";

/** Faults of the stream that the histories of the whole service notice. */
export const streamHistoryFaults: readonly PlantedFault[] = [
  {
    name: "an event of each batch is not queued for the stream",
    file: "shared/features/realtime/flows/request-event-pushes.ts",
    search: "sendAll(messages.flat());",
    replacement: "sendAll(messages.flat().slice(1));",
    killedBy: { file: stream, title: "an open connection gets every event" },
  },
  {
    name: "the first frame is requested without a delay",
    file: "shared/features/realtime/flows/hello.ts",
    search: ", delay: VISIBLE_AFTER }",
    replacement: ", delay: 0 }",
    killedBy: {
      file: stream,
      title:
        "a client that fetches at its first frame sees an event of that moment, although half of the copies are behind",
    },
  },
  {
    name: "what a connection had no first frame for does not follow",
    file: "shared/features/realtime/flows/push/push-message.ts",
    search: "  if (awaited.size > 0) {",
    replacement: "  if (awaited.size < 0) {",
    killedBy: {
      file: stream,
      title: "what a second client had no first frame for follows after it, although its fetch is behind",
    },
  },
  {
    name: "a young connection gets events before its first frame",
    file: "shared/features/realtime/flows/push/greet.ts",
    search: "  if (now() < connectedAt + VISIBLE_AFTER) return Promise.resolve(false);\n",
    replacement: "  if (now() < connectedAt + VISIBLE_AFTER) return Promise.resolve(true);\n",
    killedBy: { file: stream, title: "nothing comes before the first frame" },
  },
  {
    name: "the end of access closes no connection",
    file: "shared/features/realtime/cut-off.ts",
    search: "connectionId);\n    if (connectionIds.length === 0) return;\n",
    replacement: "connectionId);\n    if (connectionIds.length > 0) return;\n",
    killedBy: { file: stream, title: "a connection whose key is revoked is closed within a minute" },
  },
];
