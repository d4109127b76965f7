import type { PlantedFault } from "./planted-fault.ts";

/** Faults of sends, of held messages and of idempotency keys. */
export const sendingFaults: readonly PlantedFault[] = [
  {
    name: "a send may leave a minute and a half after its id was made",
    file: "shared/domain/sending/sends.ts",
    search: `const SEND_LEAVES_WITHIN: Millis = 30 * SECOND;`,
    replacement: `const SEND_LEAVES_WITHIN: Millis = 90 * SECOND;`,
    killedBy: {
      file: "test/shared/flows/sending/frozen-sender.test.ts",
      title: "for half a minute fails its send, and nothing leaves",
    },
  },
  {
    name: "the human-agent tag may leave after the seventh day",
    file: "shared/domain/sending/sends.ts",
    search: `windowEndsAt - 1,`,
    replacement: `Math.max(windowEndsAt, Number.POSITIVE_INFINITY),`,
    killedBy: {
      file: "test/shared/flows/holds/frozen-completion.test.ts",
      title: "a completion that is frozen past the seventh day never sends the human-agent tag",
    },
  },
  {
    name: "a platform call starts although its request ends before the answer",
    file: "shared/domain/sending/sends.ts",
    search: `requestEndsAt - PLATFORM_TIMEOUT - SEND_SETTLE_RESERVE,`,
    replacement: `requestEndsAt,`,
    killedBy: {
      file: "test/functions/routes/sending/deadline.test.ts",
      title: "is not called when the rest of the time is too short for its answer",
    },
  },
  {
    name: "the platform client does not read the clock before the first byte",
    file: "shared/platforms/api/http.ts",
    search: `const isLate = this.#isLate();`,
    replacement: `const isLate = false;`,
    killedBy: { file: "test/shared/platforms/api/send.test.ts", title: "does not leave on a new connection" },
  },
  {
    name: "a refusal overrides the outcome that the sweep published",
    file: "shared/stores/sending/send-records.ts",
    search: `allOf(hasNoMessageId, isOneOf(A.state, ["sending", "failed"]))`,
    replacement: `allOf(itemExists, hasNoMessageId)`,
    killedBy: {
      file: "test/shared/stores/sending/send-records.test.ts",
      title: "does not make a send failed that the sweep gave up",
    },
  },
  {
    name: "a key that was given back cannot be taken over",
    file: "shared/stores/sending/idempotency-keys.ts",
    search: `anyOf(itemDoesNotExist, isStill(staleClaim))`,
    replacement: `isStill(staleClaim)`,
    killedBy: {
      file: "test/shared/flows/sending/erased-key.test.ts",
      title: "is used by the next request when its first process gives it back while the next one takes it over",
    },
  },
  {
    name: "a later result of a key replaces the first one",
    file: "shared/stores/sending/idempotency-keys.ts",
    search: `allOf(equals(A.workId, workId), isAbsent(A.result));`,
    replacement: `equals(A.workId, workId);`,
    killedBy: {
      file: "test/shared/flows/sending/erased-key.test.ts",
      title: "keeps its first result when a process that was frozen stores another one",
    },
  },
  {
    name: "a key forgets that the conversation was erased",
    file: "shared/flows/sending/idempotency.ts",
    search: `erasedAt !== null && erasedAt >= ulidTime(id) - CLOCK_DIFFERENCE_MAX`,
    replacement: `erasedAt !== null && erasedAt < ulidTime(id) - CLOCK_DIFFERENCE_MAX`,
    killedBy: {
      file: "test/shared/flows/holds/create.test.ts",
      title: "is not held again when its conversation was erased before the key's result was stored",
    },
  },
];
