import { inboxFaults } from "./inbox-faults.ts";
import type { PlantedFault } from "./planted-fault.ts";
import { sendingFaults } from "./sending-faults.ts";

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "a claim ignores another worker's lease",
    file: "shared/stores/delivery/deliveries.ts",
    search: `allOf(allows("claim"), isCurrentAttempt(attempt), isDue(now)),`,
    replacement: `allOf(isCurrentAttempt(attempt), isDue(now)),`,
    killedBy: {
      file: "test/shared/stores/delivery/deliveries.test.ts",
      title: "is refused until the last millisecond of another lease",
    },
  },
  {
    name: "settling an attempt ignores that the row was replayed",
    file: "shared/stores/delivery/deliveries.ts",
    search: `return op === null ? [] : [equals(A.op, op)];`,
    replacement: `return op === null ? [] : [];`,
    killedBy: {
      file: "test/shared/stores/delivery/deliveries.test.ts",
      title: "prevents an earlier worker from settling an attempt with the same number",
    },
  },
  {
    name: "the outcome of a first attempt overwrites a stored row",
    file: "shared/stores/delivery/deliveries.ts",
    search: `put(item, itemDoesNotExist), {`,
    replacement: `put(item), {`,
    killedBy: {
      file: "test/shared/stores/delivery/deliveries.test.ts",
      title: "writes the row with its outcome once; a later writer gets the stored row",
    },
  },
  ...inboxFaults,
  ...sendingFaults,
];
