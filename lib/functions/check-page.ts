import type { Construct } from "constructs";
import { NodeFunction } from "../constructs/node-function.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import {
  type FunctionContext,
  keyVariables,
  platformVariables,
  queueVariables,
  tableVariables,
} from "./function-context.ts";

/** The check page, and the API that its script calls. */
export function createCheckPage(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, code } = context;
  const checkPage = new NodeFunction(scope, "Verify", {
    description: "Parley: the page on which a person checks a held message",
    code: code("Verify"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Accounts", "Events", "Realtime"),
      ...platformVariables(context),
    },
  });
  // The transaction that publishes a failed send checks that its record exists.
  data.table.allow(checkPage.functionRole, {
    actions: ["GetItem"],
    // Holds, attempts to solve a challenge and the keys of challenges; and what a send writes: conversations, due sends, budgets,
    // bodies of events, audit rows and the tenants' own rows. In a conversation that is erased beside the send it removes its
    // message again, and leaves its event to the erasure. Everyone may open it: it writes no key, user or sign-in link.
    writesUnder: {
      PutItem: ["CK#", "CONV#", "QS#", "E#", "ER#", "A#"],
      UpdateItem: ["H#", "TR#", "CONV#", "B#", "T#"],
      DeleteItem: ["QS#", "CONV#"],
      ConditionCheckItem: ["CONV#"],
    },
  });
  // It makes and opens the keys of its challenges.
  data.key.allowEncrypt(checkPage.functionRole, "check-challenge");
  data.key.allowDecrypt(checkPage.functionRole, "account-token", "check-challenge");
  queues.Accounts.allowSending(checkPage.functionRole);
  queues.Events.allowSending(checkPage.functionRole);
  queues.Realtime.allowSending(checkPage.functionRole);
  allowReading(data.secrets.platforms, checkPage.functionRole);
  return checkPage;
}
