import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalString, refuseUnknownFields, requiredString } from "../http/fields.ts";
import type { Call } from "../http/http-server.ts";
import { receiverPath } from "../receiver/receivers.ts";
import { parseSteps, stepAt } from "../receiver/steps.ts";
import type { Receiver } from "../world/model.ts";

const secretCharsMax = 200;

/** A receiver as a control route returns it: without its secret. */
export function toReceiverResponse({ url }: Context, { name, steps, taken, secret }: Receiver) {
  return {
    name,
    url: `${url()}${receiverPath(name)}`,
    steps,
    taken,
    /** The index of the step that answers the next request. */
    next_step: stepAt(steps, taken),
    has_secret: secret !== null,
  };
}

/** `GET /receivers`: every receiver, and whether the app can add one as an endpoint. With `?name=`, one with the newest 100 requests that it got, the newest first. */
export function listReceivers(context: Context, _fields: Fields, { query }: Call): unknown {
  const { receivers } = context;
  const name = query.get("name");
  if (name === null)
    return {
      receivers: receivers.list().map((one) => toReceiverResponse(context, one)),
      can_connect: context.host?.addEndpoint !== undefined,
    };
  return { receiver: toReceiverResponse(context, receivers.require(name)), requests: receivers.requests(name) };
}

/** Adds a receiver, or sets the steps of an existing one, which begin again. Fields: `name, steps?, secret?`. */
export async function setReceiver(context: Context, fields: Fields): Promise<unknown> {
  refuseUnknownFields(fields, ["name", "steps", "secret"]);
  const name = requiredString(fields, "name");
  const secret = optionalString(fields, "secret");
  if (secret !== undefined && secret.length > secretCharsMax)
    throw new BadInput(`secret is longer than ${secretCharsMax} characters`);
  const receiver = context.receivers.set(name, { steps: parseSteps(fields), secret: secret === "" ? null : secret });
  await context.world.save();
  return toReceiverResponse(context, receiver);
}

/** Removes a receiver and what it received. Fields: `name`. */
export async function removeReceiver({ receivers, world }: Context, fields: Fields): Promise<{ removed: string }> {
  const name = requiredString(fields, "name");
  receivers.remove(name);
  await world.save();
  return { removed: name };
}

/** Adds the receiver to the app as an endpoint, and stores the secret that the app returns. Fields: `name`. */
export async function connectReceiver(context: Context, fields: Fields): Promise<unknown> {
  const { host, receivers, world } = context;
  const receiver = receivers.require(requiredString(fields, "name"));
  if (host?.addEndpoint === undefined)
    throw new BadInput("the simulator runs alone: add the receiver's url to your app, and set its secret here");
  const { url } = toReceiverResponse(context, receiver);
  const answer = await host.addEndpoint(url);
  if (answer.secret === null) throw new BadInput(`the app did not add the endpoint: ${answer.problem}`);
  receiver.secret = answer.secret;
  await world.save();
  return { ...toReceiverResponse(context, receiver), endpoint: answer.id };
}
