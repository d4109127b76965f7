import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { History } from "./steps/step.ts";

/** A history that once showed a fault. */
export interface FoundHistory {
  /** The promise that it broke. */
  readonly promise: string;
  readonly history: History;
}

export const foundHistories: readonly FoundHistory[] = [
  {
    promise: "a key whose first process died after the platform had the message, and before an erasure, sends once",
    history: {
      seed: 1_291_727_687,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "trouble", name: "api", call: 14, kind: "after", millis: 0 }, null],
        [{ do: "reply", person: 0, key: 0 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "wait", millis: 120_000 }, null],
        [{ do: "reply", person: 0, key: 0 }, null],
      ],
    },
  },
  {
    promise: "an edit of a message that was dropped, because it was sent before an erasure, stores nothing",
    history: {
      seed: 8,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 420_000 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "wait", millis: 60_000 }, null],
        [{ do: "edit", message: 1 }, null],
      ],
    },
  },
  {
    promise: "an edit stores nothing while the mark of its erased message exists, and is new after that",
    history: {
      seed: 2_147_483_633,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "erase", person: 1 }, null],
        [{ do: "wait", millis: 172_800_000 }, null],
        [{ do: "erase", person: 1 }, null],
        [{ do: "wait", millis: 604_500_000 }, null],
        [{ do: "edit", message: 0 }, null],
      ],
    },
  },
  {
    promise: "a repeated key is answered when its first write conflicts with a transaction",
    history: {
      seed: 6,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "reply", person: 0, key: 0 }, null],
        [{ do: "trouble", name: "api", call: 1, kind: "conflict", millis: 180_000 }, null],
        [{ do: "reply", person: 0, key: 0 }, null],
      ],
    },
  },
  {
    promise: "a reply counts once when another endpoint receives the event of its echo",
    history: {
      seed: 17,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "subscribe", endpoint: 0, to: "others" }, null],
        [{ do: "reply", person: 1, key: null }, null],
        [{ do: "create" }, null],
      ],
    },
  },
  {
    promise: "an event of a message that meets an erasure has one body, but for the person's names",
    history: {
      seed: 855_118_731,
      steps: [
        [{ do: "receiver", endpoint: 1, mode: "error" }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "write", person: 3 }, null],
        [{ do: "trouble", name: "api", call: 10, kind: "conflict", millis: 15_000 }, null],
        [{ do: "reply", person: 3, key: 0 }, null],
        [{ do: "erase", person: 3 }, null],
      ],
    },
  },
  {
    promise: "a send with an unknown outcome is published when its conversation has expired since",
    history: {
      seed: 1_217_662_259,
      steps: [
        [{ do: "platform", mode: "drop" }, null],
        [{ do: "write", person: 3 }, null],
        [{ do: "wait", millis: 604_500_000 }, null],
        [{ do: "hold", person: 3 }, null],
        [{ do: "wait", millis: 240_000 }, null],
        [{ do: "check", hold: 0 }, null],
      ],
    },
  },
  {
    promise: "the event of a send ends after ten attempts, as that of a message does",
    history: {
      seed: 1_780_467_120,
      steps: [
        [{ do: "wait", millis: 3_600_000 }, null],
        [{ do: "receiver", endpoint: 3, mode: "reset" }, null],
        [{ do: "write", person: 3 }, null],
        [{ do: "reply", person: 3, key: 0 }, null],
        [{ do: "wait", millis: 172_800_000 }, null],
        [{ do: "wait", millis: 172_800_000 }, null],
      ],
    },
  },
  {
    promise: "a reply that was frozen too long to leave, while its conversation was erased, has no event",
    history: frozenBeforeItLeft(15_000),
  },
  {
    promise: "a reply that left just in time, after its conversation was erased, has no event",
    history: frozenBeforeItLeft(12_000),
  },
  {
    promise: "a delivery is abandoned before its tenth attempt if the next one would be after its retention",
    history: {
      seed: 2_044_036_400,
      steps: [
        [{ do: "receiver", endpoint: 0, mode: "hang" }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 604_500_000 }, null],
        [{ do: "replay", endpoint: 3 }, null],
        [{ do: "wait", millis: 3_600_000 }, null],
      ],
    },
  },
  {
    promise: "of a reply that meets an erasure, the first attempt may have names that the second one lacks",
    history: {
      seed: 2_147_483_641,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "receiver", endpoint: 0, mode: "error" }, null],
        [{ do: "write", person: 3 }, null],
        [{ do: "trouble", name: "api", call: 7, kind: "throttle", millis: 5_000 }, null],
        [{ do: "reply", person: 0, key: null }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "wait", millis: 120_000 }, null],
      ],
    },
  },
  {
    promise: "a reply that its echo stored, an erasure removed and its sender then stored again, counts once",
    history: {
      seed: 11,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "trouble", name: "api", call: 12, kind: "freeze_after", millis: 15_000 }, null],
        [{ do: "reply", person: 1, key: null }, null],
        [{ do: "wait", millis: 1_000 }, null],
        [{ do: "erase", person: 1 }, null],
        [{ do: "wait", millis: 21_600_000 }, null],
      ],
    },
  },
  {
    promise: "an edit shortly before an erasure may be newer than it, also where the person edits the message again",
    history: {
      seed: 30,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "write", person: 0 }, 8],
        [{ do: "receiver", endpoint: 0, mode: "error" }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "wait", millis: 360_000 }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "edit", message: 1 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "wait", millis: 30_000 }, null],
        [{ do: "receiver", endpoint: 0, mode: "late" }, null],
        [{ do: "wait", millis: 60_000 }, null],
        [{ do: "edit", message: 1 }, null],
        [{ do: "reply", person: 1, key: null }, null],
      ],
    },
  },
  {
    promise: "a message that meets an erasure before the head has it is removed by its worker, and not counted",
    history: {
      seed: 735_040_724,
      steps: [
        [{ do: "rotate", endpoint: 3 }, null],
        [{ do: "write", person: 1 }, 3],
        [{ do: "edit", message: 1 }, 5],
        [{ do: "erase", person: 1 }, null],
        [{ do: "write", person: 3 }, null],
      ],
    },
  },
  {
    promise:
      "a held message that its echo stored and an erasure removed has one event, though its sender's clock is ahead",
    history: {
      seed: 4,
      steps: [
        [{ do: "reply", person: 3, key: 0 }, null],
        [{ do: "platform", mode: "late" }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 172_800_000 }, null],
        [{ do: "hold", person: 0 }, null],
        [{ do: "check", hold: 0 }, null],
        [{ do: "wait", millis: 1_000 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "wait", millis: 3_600_000 }, null],
      ],
    },
  },
  {
    promise: "a held message that its echo stored and an erasure removed stays removed, where the person writes again",
    history: {
      seed: 4,
      steps: [
        [{ do: "reply", person: 3, key: 0 }, null],
        [{ do: "platform", mode: "late" }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 172_800_000 }, null],
        [{ do: "hold", person: 0 }, null],
        [{ do: "check", hold: 0 }, null],
        [{ do: "wait", millis: 1_000 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 60_000 }, null],
      ],
    },
  },
  {
    promise: "a message that failed before a repeated erasure, which found nothing, is dropped when it is redriven",
    history: {
      seed: 1_781_685_514,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "erase", person: 1 }, null],
        [{ do: "bury", queue: "Inbound" }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "wait", millis: 172_800_000 }, null],
        [{ do: "erase", person: 1 }, null],
      ],
    },
  },
  {
    promise: "a block whose process died is published when its webhook comes again, although an unblock came before",
    history: {
      seed: 28,
      steps: [
        [{ do: "wait", millis: 60_000 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "trouble", name: "ingest", call: 2, kind: "after", millis: 180_000 }, null],
        [{ do: "policy", person: 0, action: "block" }, null],
        [{ do: "policy", person: 0, action: "unblock" }, null],
      ],
    },
  },
  {
    promise: "an erasure whose process died before its start has erased nothing",
    history: {
      seed: 2_147_483_645,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "trouble", name: "api", call: 5, kind: "after", millis: 15_000 }, null],
        [{ do: "erase", person: 1 }, null],
      ],
    },
  },
  {
    promise: "the first pass of an earlier erasure, whose process died, covers nothing that came after it",
    history: {
      seed: 5,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 60_000 }, null],
        [{ do: "trouble", name: "api", call: 10, kind: "after", millis: 5_000 }, null],
        [{ do: "erase", person: 0 }, null],
        [{ do: "wait", millis: 1_000 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 15_000 }, null],
        [{ do: "erase", person: 0 }, null],
      ],
    },
  },
  {
    promise:
      "the event of a reply that is processed twice beside an erasure counts at most as often as it is delivered",
    history: {
      seed: 1_678_326_175,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "trouble", name: "checkPage", call: 23, kind: "freeze", millis: 15_000 }, null],
        [{ do: "check", hold: 0 }, null],
        [{ do: "trouble", name: "api", call: 15, kind: "lost", millis: 5_000 }, null],
        [{ do: "reply", person: 1, key: null }, null],
        [{ do: "erase", person: 1 }, null],
      ],
    },
  },
  {
    promise: "the echo of a send that an erasure removes at the same time does not store the message again",
    history: {
      seed: 3,
      steps: [
        [{ do: "replay", endpoint: 2 }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "erase", person: 1 }, 12],
        [{ do: "redrive" }, 0],
        [{ do: "policy", person: 0, action: "warning" }, 13],
        [{ do: "write", person: 1 }, 1],
        [{ do: "policy", person: 1, action: "block" }, null],
        [{ do: "reply", person: 1, key: 0 }, 0],
        [{ do: "policy", person: 1, action: "unblock" }, 1],
        [{ do: "reply", person: 1, key: 0 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "trouble", name: "api", call: 1, kind: "before", millis: 15000 }, 0],
        [{ do: "testReply", person: 0 }, 0],
        [{ do: "reply", person: 0, key: null }, 23],
        [{ do: "read", person: 0 }, 4],
        [{ do: "erase", person: 0 }, null],
        [{ do: "write", person: 3 }, null],
      ],
    },
  },
  {
    promise: "a reply that is erased before its event is processed is not counted, and everything else is",
    history: {
      seed: 609_115_188,
      steps: [
        [{ do: "receiver", endpoint: 1, mode: "hang" }, null],
        [{ do: "wait", millis: 3_600_000 }, null],
        [{ do: "redrive" }, null],
        [{ do: "write", person: 0 }, 9],
        [{ do: "policy", person: 0, action: "block" }, 23],
        [{ do: "reply", person: 0, key: 0 }, 8],
        [{ do: "policy", person: 0, action: "unblock" }, null],
        [{ do: "erase", person: 0 }, null],
      ],
    },
  },
  {
    promise: "the event of a block reaches a receiver, or all its attempts were made",
    history: {
      seed: 1_709_397_360,
      steps: [
        [{ do: "wait", millis: 60_000 }, null],
        [{ do: "receiver", endpoint: 2, mode: "hang" }, null],
        [{ do: "policy", person: 0, action: "block" }, null],
        [{ do: "wait", millis: 518_400_000 }, null],
      ],
    },
  },
  {
    promise: "a client that leaves before its first frame, and whose end no one reports, leaves no dead letter",
    history: {
      seed: 4,
      steps: [
        [{ do: "watch", person: 1 }, null],
        [{ do: "leave", viewer: 2, isReported: false }, null],
      ],
    },
  },
  {
    promise: "a worker whose clock is ahead sends no first frame before every copy shows its socket",
    history: {
      seed: 2,
      steps: [
        [{ do: "watch", person: 3 }, null],
        [{ do: "stale", source: "all", writes: 37, isMixed: false }, null],
        [{ do: "watch", person: 0 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "wait", millis: 2_650 }, null],
        [{ do: "watch", person: 0 }, null],
        [{ do: "wait", millis: 900 }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "write", person: 2 }, null],
      ],
    },
  },
  {
    promise: "a disconnection that overlaps a later connection may be the last of both",
    history: {
      seed: 864_327_238,
      steps: [
        [{ do: "write", person: 0 }, null],
        [{ do: "connect", person: 0 }, 2],
        [{ do: "disconnect", person: 0 }, 10],
        [{ do: "connect", person: 0 }, null],
        [{ do: "wait", millis: 180_000 }, null],
        [{ do: "write", person: 0 }, null],
      ],
    },
  },
  {
    promise: "a message whose worker died is stored for the tenant that had its account when it was written",
    history: {
      seed: 2_005_247_015,
      steps: [
        [{ do: "write", person: 1 }, null],
        [{ do: "write", person: 1 }, null],
        [{ do: "trouble", name: "ingest", call: 0, kind: "after", millis: 40_000 }, null],
        [{ do: "disconnect", person: 1 }, null],
        [{ do: "write", person: 1 }, null],
      ],
    },
  },
  {
    promise:
      "what no webhook brought before a data deletion is not fetched when the same login connects the account again",
    history: {
      kind: "accounts",
      seed: 17,
      steps: [
        [{ do: "connectAccount", account: 0, tenant: 0, login: 0 }, null],
        [{ do: "accountWrites", customer: 1 }, null],
        [{ do: "wait", millis: 7_200_000 }, null],
        [{ do: "trouble", name: "account", call: 4, kind: "freeze_after", millis: 40_000 }, null],
        [{ do: "deleteData", login: 0 }, null],
        [{ do: "connectAccount", account: 0, tenant: 0, login: 0 }, null],
      ],
    },
  },
  {
    promise:
      "what was written to a former tenant is not fetched for the one that has the account, when it lost its subscription",
    history: {
      kind: "accounts",
      seed: 17,
      steps: [
        [{ do: "wait", millis: 22 * HOUR }, null],
        [{ do: "connectAccount", account: 0, tenant: 0, login: 0 }, null],
        [{ do: "customerWrites", customer: 0 }, null],
        [{ do: "customerWrites", customer: 1 }, null],
        [{ do: "disconnectAccount", account: 0 }, null],
        [{ do: "wait", millis: 3 * MINUTE }, null],
        [{ do: "connectAccount", account: 0, tenant: 1, login: 0 }, null],
        // Its first check sees a complete subscription, about an hour later.
        [{ do: "wait", millis: 2 * HOUR }, null],
        [{ do: "loseSubscription", account: 0 }, null],
        [{ do: "customerWrites", customer: 0 }, null],
        [{ do: "wait", millis: DAY }, null],
      ],
    },
  },
  {
    promise: "a connection that is completed by its queue fetches what was missing before it",
    history: {
      kind: "accounts",
      seed: 5,
      steps: [
        [{ do: "connectAccount", account: 0, tenant: 0, login: 0 }, null],
        [{ do: "wait", millis: DAY }, null],
        [{ do: "loseSubscription", account: 0 }, null],
        [{ do: "customerWrites", customer: 0 }, null],
        [{ do: "trouble", name: "connect", call: 6, kind: "before", millis: 0 }, null],
        [{ do: "connectAccount", account: 0, tenant: 0, login: 1 }, null],
        [{ do: "wait", millis: 20 * MINUTE }, null],
        [{ do: "customerWrites", customer: 0 }, null],
        [{ do: "wait", millis: DAY }, null],
      ],
    },
  },
  {
    promise: "what is written while an outage holds up a data deletion belongs to no tenant",
    history: {
      kind: "accounts",
      seed: 412_559_852,
      steps: [
        [{ do: "bury", queue: "Accounts" }, null],
        [{ do: "connectAccount", account: 2, tenant: 0, login: 1 }, null],
        [{ do: "deleteData", login: 1 }, null],
        [{ do: "outage", service: "all", millis: 5 * HOUR }, null],
        [{ do: "wait", millis: 20 * MINUTE }, null],
        [{ do: "accountWrites", customer: 3 }, null],
      ],
    },
  },
  {
    promise: "a message that no webhook brought can be fetched only while its login allows it",
    history: {
      kind: "accounts",
      seed: 27,
      steps: [
        [{ do: "connectAccount", account: 0, tenant: 0, login: 2 }, null],
        [{ do: "connectAccount", account: 0, tenant: 0, login: 0 }, null],
        [{ do: "outage", service: "table", millis: 5 * HOUR }, null],
        [{ do: "wait", millis: 20 * MINUTE }, null],
        [{ do: "loseSubscription", account: 1 }, null],
        [{ do: "customerWrites", customer: 0 }, null],
        [{ do: "wait", millis: 6 * HOUR }, null],
        [{ do: "trouble", name: "connect", call: 1, kind: "after", millis: 5000 }, null],
        [{ do: "deauthorize", login: 0 }, null],
      ],
    },
  },
  {
    promise: "a delivery that is postponed in an outage has something that attempts it",
    history: {
      kind: "accounts",
      seed: 2_147_483_635,
      steps: [
        [{ do: "wait", millis: 6 * HOUR }, null],
        [{ do: "wait", millis: 6 * HOUR }, null],
        [{ do: "receiver", endpoint: 0, mode: "error" }, null],
        [{ do: "connectAccount", account: 0, tenant: 0, login: 2 }, null],
        [{ do: "outage", service: "key", millis: 5 * HOUR }, null],
        [{ do: "wait", millis: 5 * MINUTE }, null],
      ],
    },
  },
  {
    promise: "a connection of a tenant that was suspended for a moment is closed, and gets nothing until then",
    history: {
      seed: 0,
      steps: [
        [{ do: "watch", person: 0 }, null],
        [{ do: "wait", millis: 7 * MINUTE }, null],
        [{ do: "gateway", mode: "down" }, null],
        [{ do: "suspendTenant", person: 2 }, null],
        [{ do: "write", person: 2 }, null],
        [{ do: "resumeTenant", person: 2 }, null],
        [{ do: "wait", millis: HOUR }, null],
      ],
    },
  },
  {
    promise: "an edit is not pushed once its message is unsent, also where its worker stood still between the two",
    history: {
      seed: 2_147_483_623,
      steps: [
        [{ do: "watch", person: 1, by: "agent" }, null],
        [{ do: "wait", millis: 3 * MINUTE }, null],
        [{ do: "write", person: 0 }, null],
        [{ do: "edit", message: 0 }, 3],
        [{ do: "trouble", name: "ingest", call: 5, kind: "freeze_after", millis: 40_000 }, null],
        [{ do: "unsend", message: 1 }, null],
      ],
    },
  },
];

/** The process of a reply is frozen before the call of the platform, and the conversation is erased at that time. */
function frozenBeforeItLeft(millis: Millis): History {
  return {
    seed: 216_397_831,
    steps: [
      [{ do: "write", person: 0 }, null],
      [{ do: "trouble", name: "api", call: 10, kind: "freeze", millis }, null],
      [{ do: "reply", person: 0, key: null }, null],
      [{ do: "erase", person: 0 }, null],
    ],
  };
}
