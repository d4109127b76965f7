import { controlTokenProblem } from "../../../loopback/src/control-token.ts";
import { type Context, tokenShapes } from "../calls/context.ts";
import {
  BadInput,
  type Fields,
  optionalBoolean,
  optionalEnum,
  optionalInteger,
  optionalString,
  requiredString,
} from "../http/fields.ts";
import { type Call, type HttpOutcome, json } from "../http/http-server.ts";
import { connections } from "../world/model.ts";
import { addSeedAccount } from "../world/seed.ts";
import { restrict, sendAsAccount, sendPolicy, setSubscription } from "./account-actions.ts";
import { deauthorize, requestDeletion } from "./callbacks.ts";
import { deliverNow, setClock, setDelivery, setFault } from "./conditions.ts";
import { inspectMessage, listWebhooks } from "./inspection.ts";
import { editPerson } from "./people.ts";
import { handlePersonAction } from "./person-sends.ts";
import { connectReceiver, listReceivers, removeReceiver, setReceiver } from "./receivers.ts";
import { replayEvent, resendWebhook } from "./resend.ts";
import { listScenarios, runScenario, stopScenario } from "./scenarios.ts";
import { changeTokens, tokenStatus } from "./tokens.ts";
import { sendDashboardTest, sendRawWebhook, verifyCallback } from "./webhooks.ts";

type Control = (context: Context, fields: Fields, call: Call) => unknown;

export const controlRoutes: Record<string, Control> = {
  "GET /state": state,
  "GET /webhooks": listWebhooks,
  "GET /app": inspectMessage,
  "GET /sent": ({ world }) => ({ sent: world.state.sent }),
  "POST /person-sends": handlePersonAction,
  "POST /account-sends": sendAsAccount,
  "POST /people": editPerson,
  "POST /policy": sendPolicy,
  "POST /subscriptions": setSubscription,
  "POST /restrictions": restrict,
  "POST /tokens": changeTokens,
  "POST /deauthorize": deauthorize,
  "POST /data-deletion": requestDeletion,
  "POST /accounts": addAccount,
  "POST /raw": sendRawWebhook,
  "POST /resend": resendWebhook,
  "POST /app-replay": replayEvent,
  "GET /receivers": listReceivers,
  "POST /receivers": setReceiver,
  "POST /remove-receiver": removeReceiver,
  "POST /connect-receiver": connectReceiver,
  "POST /dashboard-test": sendDashboardTest,
  "POST /verify": verifyCallback,
  "POST /faults": setFault,
  "POST /clock": setClock,
  "POST /delivery": setDelivery,
  "POST /deliver-now": deliverNow,
  "GET /scenarios": listScenarios,
  "POST /scenarios": runScenario,
  "POST /stop-scenario": stopScenario,
  "POST /clear-threads": async ({ world }) => {
    const threads = world.clearThreads();
    await world.save();
    return { threads };
  },
  "POST /history-limit": ({ historyLimit }, fields) => {
    const perSecond = optionalInteger(fields, "per_second", 0, 1_000_000) ?? 2;
    historyLimit.perSecond = perSecond === 0 ? null : perSecond;
    return { per_second: perSecond };
  },
  "POST /token-shape": (context, fields) => {
    context.tokenShape = optionalEnum(fields, "shape", tokenShapes) ?? "wrapped";
    return { shape: context.tokenShape };
  },
};

/**
 * The simulator's control routes, for tests and the page. A call without the control token gets a 401, and invalid input a
 * 400 with the reason.
 */
export async function control(context: Context, path: string, call: Call): Promise<HttpOutcome> {
  const problem = controlTokenProblem(call.headers.authorization, context.controlToken);
  if (problem !== null) return json(401, { error: problem }, { "WWW-Authenticate": "Bearer" });
  const route = controlRoutes[`${call.method} ${path}`];
  if (route === undefined) {
    return json(404, { error: `unknown control route; the routes are: ${Object.keys(controlRoutes).join(", ")}` });
  }
  try {
    if (call.unreadable) throw new BadInput("the body must be a JSON object");
    return json(200, await route(context, call.body, call));
  } catch (error) {
    if (error instanceof BadInput) return json(400, { error: error.message });
    throw error;
  }
}

/** The state that the page shows. With `?since=<version>`, only the version if nothing has changed since. */
function state({ world, deliveries, faults, scenarios }: Context, _fields: Fields, call: Call): unknown {
  const { version } = world;
  if (call.query.get("since") === String(version)) return { version, unchanged: true };
  const { accounts, people, threads, subscriptions, failing, ended, clockOffsetMs } = world.state;
  const { users, tokens, restricted } = world.state;
  return {
    version,
    now: world.now(),
    clock_offset_ms: clockOffsetMs,
    accounts,
    people,
    threads,
    subscriptions,
    failing,
    ended,
    users,
    tokens: tokens.map((token) => tokenStatus(token, world.now())),
    restricted,
    pending: deliveries.pending(),
    fault: faults.snapshot(),
    delivery: deliveries.options,
    scenario: scenarios.status(),
  };
}

async function addAccount({ world }: Context, fields: Fields): Promise<unknown> {
  const connection = optionalEnum(fields, "connection", connections);
  if (connection === undefined) throw new BadInput(`connection must be one of ${connections.join(", ")}`);
  const externalId = requiredString(fields, "externalId");
  const isConnected = optionalBoolean(fields, "isConnected") ?? true;
  const seed = {
    connection,
    externalId,
    pageId: optionalString(fields, "pageId") ?? (connection === "messenger" ? externalId : null),
    handle: requiredString(fields, "handle"),
    displayName: requiredString(fields, "displayName"),
    token: isConnected ? requiredString(fields, "token") : "",
    isConnected,
    canMessage: optionalBoolean(fields, "canMessage") ?? true,
  };
  if (connection === "instagram_page" && seed.pageId === null) {
    throw new BadInput("pageId is missing: an Instagram account on a Page requires the Page's id");
  }
  const account = addSeedAccount(world.state, seed, world.now());
  await world.save();
  return account;
}
