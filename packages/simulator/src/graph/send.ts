import { randomInt } from "node:crypto";
import type { Context, NodeCall } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { assertMessaging } from "../calls/permissions.ts";
import { isFields, parseJson } from "../http/fields.ts";
import { type HttpOutcome, json } from "../http/http-server.ts";
import { echoEvent, isSubscribed } from "../webhooks/outgoing.ts";
import type { Fault } from "../world/faults.ts";
import type { Account, Person } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";
import { acceptedResponse, applySendFault, checkPerson } from "./fault-responses.ts";
import { checkMessage } from "./send-message.ts";
import { checkWindow } from "./send-window.ts";
import { sendersFor } from "./senders.ts";

/** A message or a sender action for a person. */
interface SendRequest {
  account: Account;
  person: Person;
  body: Record<string, unknown>;
  onInstagram: boolean;
}

const actions = ["typing_on", "typing_off", "mark_seen", "react", "unreact"];

function findRecipient(
  context: Context,
  accounts: Account[],
  body: Record<string, unknown>,
  onInstagram: boolean,
): { account: Account; person: Person } {
  const recipient = typeof body.recipient === "string" ? parseJson(body.recipient) : body.recipient;
  const id = isFields(recipient) ? recipient.id : undefined;
  if (typeof id !== "string" || id === "") throw refuse.parameter("The parameter recipient is required.", onInstagram);
  for (const account of accounts) {
    const person = context.world.person(account, id);
    if (person !== undefined) return { account, person };
  }
  throw refuse.unknownPerson(
    accounts.every((account) => isInstagram(account)),
    onInstagram,
  );
}

/** `POST /{node}/messages`: a message or a sender action. Throws the Graph error if it is refused. */
export async function send(context: Context, nodeCall: NodeCall, fault: Fault): Promise<HttpOutcome> {
  const onInstagram = nodeCall.host === "instagram";
  const { body } = nodeCall.call;
  const accounts = sendersFor(context, nodeCall);
  const { account, person } = findRecipient(context, accounts, body, onInstagram);
  assertMessaging(nodeCall.token, account);
  applySendFault(fault, account, body, onInstagram);
  if ((body.message === undefined) === (body.sender_action === undefined)) {
    throw refuse.parameter("Must provide exactly one of the params message or sender_action", onInstagram);
  }
  if ((context.world.state.restricted[account.key] ?? 0) > context.world.now()) throw refuse.restricted(onInstagram);
  checkPerson(account, person);
  const request = { account, person, body, onInstagram };
  return body.sender_action === undefined ? sendMessage(context, request, fault) : performAction(context, request);
}

async function performAction(
  { world }: Context,
  { account, person, body, onInstagram }: SendRequest,
): Promise<HttpOutcome> {
  const action = String(body.sender_action);
  if (!actions.includes(action)) {
    throw refuse.parameter(`Param sender_action must be one of {${actions.join(", ")}}`, onInstagram);
  }
  if (action.endsWith("react")) {
    const payload = isFields(body.payload) ? body.payload : {};
    const message = world.thread(account, person).messages.find(({ mid }) => mid === payload.message_id);
    if (message === undefined) throw refuse.parameter("Invalid message_id in payload", onInstagram);
    if (action === "react") message.reactions.account = String(payload.reaction ?? "love");
    else delete message.reactions.account;
    await world.save();
  }
  return json(200, { recipient_id: person.id });
}

async function sendMessage(context: Context, request: SendRequest, fault: Fault): Promise<HttpOutcome> {
  const { account, person, body, onInstagram } = request;
  const { world, deliveries } = context;
  const thread = world.thread(account, person);
  const content = checkMessage(account, thread, body, {
    onInstagram,
    upload: (id) => world.upload(account, id),
    mediaUrl: `${context.url()}/media`,
    shareOnly: fault.mode === "media_share_only",
  });
  checkWindow(account, thread, { body, now: world.now(), onInstagram });

  const { metadata, ...messageFields } = content;
  const message = world.addMessage(account, thread, { from: "account", ...messageFields });
  world.recordSend(account, person, message, body);

  const sendsEcho = fault.mode !== "no_echo" && isSubscribed(world, account, { kind: "echo", standby: false });
  if (sendsEcho) message.webhook = "waiting";
  else if (fault.mode !== "no_echo") message.webhook = "not_subscribed";
  if (sendsEcho) {
    const event = echoEvent(account, person, { message, appId: Number(world.appId), metadata });
    if (fault.mode === "echo_first") await deliveries.enqueue(event).outcome;
    else deliveries.enqueue(event, randomInt(50, 301));
  }
  await world.save();
  return acceptedResponse(fault, { recipient_id: person.id, message_id: message.mid });
}
