import type { PlantedFault } from "../planted-fault.ts";

const partsTest = "test/functions/ingest/parts.test.ts";

export const webhookPartsFaults: readonly PlantedFault[] = [
  {
    name: "parts: an update that the table refuses holds up the later ones of its person",
    file: "shared/features/inbox/flows/ingest-updates.ts",
    search: "if (isServiceFault(error) || error instanceof OutOfTime) break;",
    replacement: "break;",
    killedBy: {
      file: partsTest,
      title:
        "a webhook of three people, of whom the table refuses one's message also stores what the same person wrote after it",
    },
  },
  {
    name: "parts: updates overtake one that an outage holds up",
    file: "shared/features/inbox/flows/ingest-updates.ts",
    search: "if (isServiceFault(error) || error instanceof OutOfTime) break;",
    replacement: "if (error instanceof OutOfTime) break;",
    killedBy: {
      file: partsTest,
      title: "a webhook of more than 50 updates of one person waits as it is in an outage, so that nothing overtakes",
    },
  },
  {
    name: "parts: a part that fails has the whole webhook received again",
    file: "shared/features/inbox/flows/ingest-webhook.ts",
    search: "if (isOnePart || isOutage || outOfTime)",
    replacement: "if (failures.length > 0)",
    killedBy: {
      file: partsTest,
      title: "stores and publishes the others at once, and makes one dead letter, of that part",
    },
  },
  {
    name: "parts: what is stored of a webhook that fails is not published",
    file: "functions/ingest/worker.ts",
    search: "        mergeEffects(effects, webhookEffects);",
    replacement: "        if (!outcomes.has(webhook.id)) mergeEffects(effects, webhookEffects);",
    killedBy: {
      file: partsTest,
      title: "a webhook that is one part is received again as it is where it fails, and nothing is queued",
    },
  },
  {
    name: "parts: a part has a raw copy of its own",
    file: "functions/ingest/worker.ts",
    search: "webhooks.filter(({ inbound }) => !inbound.part)",
    replacement: "webhooks",
    killedBy: {
      file: partsTest,
      title: "a webhook of more than 50 updates has one raw copy, that of the whole webhook",
    },
  },
  {
    name: "parts: a webhook is done although the queue did not take its parts",
    file: "functions/ingest/worker.ts",
    search: "}, remaining.parts);",
    replacement: "}, remaining.parts).catch(() => {});",
    killedBy: {
      file: partsTest,
      title: "a webhook of several people is received again where the queue does not take its parts",
    },
  },
  {
    name: "parts: a part of a webhook that waited waits as long again",
    file: "shared/features/inbox/flows/inbound-webhooks.ts",
    search: "waitedSince === null ? body",
    replacement: "waitedSince !== 0 ? body",
    killedBy: {
      file: partsTest,
      title:
        "a webhook of more than 50 updates that waited for the end of an outage has parts that wait no longer than it",
    },
  },
  {
    name: "parts: the updates after the first 50 are dropped",
    file: "shared/features/inbox/rules/webhook-parts.ts",
    search: "later: [first.slice(PART_UPDATES_MAX)] }",
    replacement: "later: [] }",
    killedBy: {
      file: partsTest,
      title: "a webhook of more than 50 updates of one person is ingested 50 at a time, in order",
    },
  },
  {
    name: "parts: an address of any length is stored",
    file: "shared/platforms/json.ts",
    search: "return jsonBytes(url) <= URL_BYTES_MAX && ",
    replacement: "return ",
    killedBy: {
      file: "test/features/inbox/flows/parts/largest-updates.test.ts",
      title: "the largest updates leave no row and no delivered body of more than 350 KB",
    },
  },
];
