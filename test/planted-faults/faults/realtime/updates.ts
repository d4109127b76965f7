import type { PlantedFault } from "../../planted-fault.ts";

const updateFaults = "test/features/realtime/flows/push/update-faults.test.ts";
const erasure = "test/features/realtime/flows/push/erasure-under-load.test.ts";
const killed =
  "an update is pushed to every socket by a worker that is killed before any call of its ports, also a post";
const erased =
  "no frame of an erased conversation follows the one that says so, or comes two seconds after its last row";

/** Faults of what is pushed besides events, and of its end by an erasure. */
export const updatePushFaults: readonly PlantedFault[] = [
  {
    name: "a held message is pushed as expired before that is stored",
    file: "shared/features/realtime/flows/push/push-hold.ts",
    search: "isOver ? await ports.holds.expire(stored, now) : stored",
    replacement: "stored",
    killedBy: { file: updateFaults, title: killed },
  },
  {
    name: "an upload is pushed as failed before that is stored",
    file: "shared/features/realtime/flows/push/push-upload.ts",
    search: `isOver ? await ports.uploads.lapse(uploadId, uploadError("internal_error"), now) : stored`,
    replacement: "isOver ? { ...stored, state: uploadStateAt(stored, now) } : stored",
    killedBy: { file: updateFaults, title: killed },
  },
  {
    name: "no timer is set for the end of an upload",
    file: "shared/features/realtime/flows/push/push-upload.ts",
    search: `if (state.status === "processing")`,
    replacement: `if (state.status === ("none" as string) && state.status === "processing")`,
    killedBy: { file: updateFaults, title: killed },
  },
  {
    name: "a held message is pushed after the erasure of its conversation",
    file: "shared/features/erasure/flows/related-rows.ts",
    search: "...ports.traces.bodyKeys(erasure.tenant, bodies), ...existing]",
    replacement: "...ports.traces.bodyKeys(erasure.tenant, bodies)]",
    killedBy: { file: erasure, title: erased },
  },
  {
    name: "an edit is pushed after the erasure of its conversation",
    file: "shared/features/erasure/flows/related-rows.ts",
    search: "...ports.traces.bodyKeys(erasure.tenant, bodies), ...existing]",
    replacement: "...existing]",
    killedBy: { file: erasure, title: erased },
  },
];
