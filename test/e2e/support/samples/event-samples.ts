import { demoAccountIds, type Entry, type JsonObject, type PlatformObject, type Signer } from "../platform-webhooks.ts";
import type { Expected, ExpectedAttachment, SampleContext, SampleDraft } from "./sample-builders.ts";
import { instagramOnly, messengerOnly, sharedSamples } from "./sample-drafts.ts";

/** One event that a platform may send. */
export interface EventSample {
  readonly name: string;
  readonly object: PlatformObject;
  readonly signer: Signer;
  readonly entry: Entry;
  /** The message's id; null if the platform sends none. */
  readonly mid: string | null;
  readonly expected: Expected | null;
  /** The type of the published event for a sample without a message; null if the sample is only acknowledged. */
  readonly expectedEventType: string | null;
}

/** Every kind of event on every connection, with unique ids. `at` is the time of the first event in milliseconds. */
export function catalogue(people: { ig: string; page: string; msg: string }, at: number): EventSample[] {
  const { instagramLogin, instagramPage, messenger } = demoAccountIds;
  const login: SampleContext = {
    object: "instagram",
    signer: "instagram",
    account: instagramLogin,
    person: people.ig,
    at,
  };
  const viaPage: SampleContext = {
    object: "instagram",
    signer: "meta",
    account: instagramPage,
    person: people.page,
    at,
  };
  const onPage: SampleContext = { object: "page", signer: "meta", account: messenger, person: people.msg, at };
  return [login, viaPage, onPage].flatMap((context) => {
    const platformSamples = context.object === "instagram" ? instagramOnly(context) : messengerOnly(context);
    return [...sharedSamples(context), ...platformSamples].map((draft, index) => toSample(context, draft, index));
  });
}

/** Each event gets its own millisecond, so that their order is defined. */
function toSample(
  context: SampleContext,
  { name, entry, mid = null, expected, expectedEventType = null }: SampleDraft,
  index: number,
): EventSample {
  const { object, signer } = context;
  const defaults = {
    direction: "inbound",
    text: "",
    text_truncated: false,
    attachments: [],
    sent_via: "participant",
    reply_to: null,
    story: null,
    quick_reply: null,
    postback: null,
    referral: null,
  } as const;
  return {
    name: `${name} on ${object} signed by ${signer}`,
    object,
    signer,
    mid,
    entry: shiftTime(entry, index),
    expected: expected ? { ...defaults, ...expected, attachments: withoutContext(expected.attachments) } : null,
    expectedEventType,
  };
}

function withoutContext(attachments: readonly ExpectedAttachment[] = []): ExpectedAttachment[] {
  return attachments.map((attachment) => ({ title: null, coordinates: null, ...attachment }));
}

function shiftTime(entry: Entry, offsetMs: number): Entry {
  const shiftEvents = (events: readonly JsonObject[]): JsonObject[] =>
    events.map((event) =>
      Number(event.timestamp) > 1e12 ? { ...event, timestamp: Number(event.timestamp) + offsetMs } : event,
    );
  return {
    time: entry.time + offsetMs,
    id: entry.id,
    ...(entry.messaging ? { messaging: shiftEvents(entry.messaging) } : {}),
    ...(entry.standby ? { standby: shiftEvents(entry.standby) } : {}),
    ...(entry.changes ? { changes: entry.changes } : {}),
  };
}
