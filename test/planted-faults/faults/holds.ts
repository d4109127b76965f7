import type { PlantedFault } from "../planted-fault.ts";

export const holdsFaults: readonly PlantedFault[] = [
  {
    name: "an expired hold is claimed",
    file: "shared/features/holds/store/holds.ts",
    search: "above(A.expiresAt, now), equals",
    replacement: "equals",
    killedBy: {
      file: "test/features/holds/store/holds.test.ts",
      title: "a claim with the wrong secret, of an expired hold or of a missing one fails",
    },
  },
  {
    name: "a wrong secret claims a hold",
    file: "shared/features/holds/store/holds.ts",
    search: "equals(A.secretHash, hold.secretHash), hasContent",
    replacement: "hasContent",
    killedBy: {
      file: "test/features/holds/store/holds.test.ts",
      title: "a claim with the wrong secret, of an expired hold or of a missing one fails",
    },
  },
  {
    name: "a clock that is behind claims a hold without content",
    file: "shared/features/holds/store/holds.ts",
    search: "equals(A.secretHash, hold.secretHash), hasContent",
    replacement: "equals(A.secretHash, hold.secretHash)",
    killedBy: {
      file: "test/features/holds/store/holds.test.ts",
      title: "a hold that was recorded as expired cannot be claimed by a clock that is behind",
    },
  },
  {
    name: "a hold is settled after its minute",
    file: "shared/features/holds/store/holds.ts",
    search: "allOf(equals(A.sendId, sendId), atLeast(A.claimedAt, now - HOLD_SENDING_MAX))",
    replacement: "equals(A.sendId, sendId)",
    killedBy: {
      file: "test/features/holds/store/holds.test.ts",
      title: "a send that ends after its minute changes nothing, whether or not the hold was read since",
    },
  },
  {
    name: "another claim's result settles a hold",
    file: "shared/features/holds/store/holds.ts",
    search: "allOf(equals(A.sendId, sendId), atLeast(A.claimedAt, now - HOLD_SENDING_MAX))",
    replacement: "atLeast(A.claimedAt, now - HOLD_SENDING_MAX)",
    killedBy: {
      file: "test/features/holds/store/holds-model.test.ts",
      title: "a hold follows only the transitions of the table, has at most one claim, and leaves no text",
    },
  },
  {
    name: "a hold lapses while its send may still end",
    file: "shared/features/holds/store/holds.ts",
    search: "condition: below(A.claimedAt, now - HOLD_SENDING_MAX),",
    replacement: "condition: atMost(A.claimedAt, now),",
    killedBy: {
      file: "test/features/holds/store/holds-model.test.ts",
      title: "a hold follows only the transitions of the table, has at most one claim, and leaves no text",
    },
  },
  {
    name: "a claimed hold keeps its content",
    file: "shared/features/holds/store/holds.ts",
    search: "      remove: waitingAttributes,",
    replacement: "      remove: [],",
    killedBy: {
      file: "test/features/holds/store/holds-model.test.ts",
      title: "a hold follows only the transitions of the table, has at most one claim, and leaves no text",
    },
  },
  {
    name: "a message is held for an erased conversation",
    file: "shared/features/holds/store/holds.ts",
    search: "check(headKey(hold.conversationId), conversationExists),",
    replacement: "",
    killedBy: {
      file: "test/features/holds/store/holds.test.ts",
      title: "a new hold is stored with its ref and its audit row, or not at all",
    },
  },
  {
    name: "a hold whose response was lost is not created",
    file: "shared/features/holds/store/holds.ts",
    search: "{ ownMark: { PK: item.PK } },",
    replacement: "{},",
    killedBy: {
      file: "test/features/holds/store/holds.test.ts",
      title: "a new hold is created once, also when the call is repeated or its response is lost",
    },
  },
  {
    name: "a hold is sent before the seventh day is checked",
    file: "shared/features/holds/flows/release.ts",
    search: "planSend(ports, request, time.now())",
    replacement: "planSend(ports, request, hold.createdAt)",
    killedBy: {
      file: "test/features/holds/flows/complete.test.ts",
      title: "a hold fails without a send if the 7 days end between the claim and the send",
    },
  },
  {
    name: "a link that is opened again does not say why its message failed",
    file: "shared/features/holds/routes/check-page.ts",
    search: '"view" in refusal ? { ...refusal, fields: toEndedHoldFields(refusal.view) } : refusal',
    replacement: "refusal",
    killedBy: {
      file: "test/features/holds/routes/check-page.test.ts",
      title:
        "the check page API says why a message failed when its link is opened again, on every route and without its text",
    },
  },
  {
    name: "a proxy's 404 makes the check page forget its secret",
    file: "web/check-page/steps.ts",
    search: 'status === 404 && problem.code !== ""',
    replacement: "status === 404",
    killedBy: {
      file: "test/web/steps.test.ts",
      title: "the page offers a retry when a proxy answers before the solutions were submitted",
    },
  },
];
