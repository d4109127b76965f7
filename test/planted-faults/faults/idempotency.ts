import type { PlantedFault } from "../planted-fault.ts";

export const idempotencyFaults: readonly PlantedFault[] = [
  {
    name: "a key that was given back cannot be taken over",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: "anyOf(itemDoesNotExist, isStill(staleClaim))",
    replacement: "isStill(staleClaim)",
    killedBy: {
      file: "test/features/sending/flows/erased-key.test.ts",
      title: "a key is used by the next request when its first process gives it back while the next one takes it over",
    },
  },
  {
    name: "a later result of a key replaces the first one",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: "allOf(equals(A.workId, workId), isAbsent(A.result));",
    replacement: "equals(A.workId, workId);",
    killedBy: {
      file: "test/features/sending/flows/erased-key.test.ts",
      title: "a key keeps its first result when a process that was frozen stores another one",
    },
  },
  {
    name: "a key forgets that the conversation was erased",
    file: "shared/features/sending/idempotency.ts",
    search: "erasedAt !== null && erasedAt >= ulidTime(id) - CLOCK_DIFFERENCE_MAX",
    replacement: "erasedAt !== null && erasedAt < ulidTime(id) - CLOCK_DIFFERENCE_MAX",
    killedBy: {
      file: "test/features/holds/flows/create.test.ts",
      title:
        "a human agent's message is not held again when its conversation was erased before the key's result was stored",
    },
  },
  {
    name: "two requests claim one idempotency key",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: ": anyOf(itemDoesNotExist, atMost(A.claimedAt, now - IDEMPOTENCY_TTL));",
    replacement: ": anyOf(itemDoesNotExist, atMost(A.claimedAt, now));",
    killedBy: {
      file: "test/features/sending/flows/idempotency.test.ts",
      title:
        "an idempotency key conflicts while its first request is in flight: of twenty concurrent requests one sends",
    },
  },
  {
    name: "two requests take over one idempotency key",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: "? anyOf(itemDoesNotExist, isStill(staleClaim))",
    replacement: "? anyOf(itemDoesNotExist, atMost(A.claimedAt, now))",
    killedBy: {
      file: "test/features/sending/flows/internal-faults.test.ts",
      title: "with an idempotency key, one of several requests that take over a key sends",
    },
  },
  {
    name: "a request stores its result under another request's key",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: `allOf(equals(A.workId, workId), isAbsent(A.result));
      await`,
    replacement: `isAbsent(A.result);
      await`,
    killedBy: {
      file: "test/features/sending/store/idempotency-keys.test.ts",
      title: "a process whose key was taken over stores no result",
    },
  },
  {
    name: "a request releases another request's key",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: "remove(key, equals(A.workId, workId))",
    replacement: "remove(key)",
    killedBy: {
      file: "test/features/sending/store/idempotency-keys.test.ts",
      title: "a process whose key was taken over does not release it",
    },
  },
  {
    name: "an idempotency key accepts another request",
    file: "shared/features/sending/idempotency.ts",
    search: `if (existing.bodyHash !== claim.bodyHash) return refuse("idempotency_conflict", "another_request");`,
    replacement: "",
    killedBy: {
      file: "test/features/sending/flows/idempotency.test.ts",
      title: "an idempotency key conflicts with a different body: %s",
    },
  },
  {
    name: "an idempotency key lives for two days",
    file: "shared/features/sending/store/idempotency-keys.ts",
    search: "anyOf(itemDoesNotExist, atMost(A.claimedAt, now - IDEMPOTENCY_TTL))",
    replacement: "anyOf(itemDoesNotExist, atMost(A.claimedAt, now - 2 * IDEMPOTENCY_TTL))",
    killedBy: {
      file: "test/features/sending/store/idempotency-keys.test.ts",
      title: "a key is free again a day after its claim, to the millisecond",
    },
  },
];
