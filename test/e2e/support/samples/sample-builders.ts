import { type Entry, type JsonObject, newMessageId, type PlatformObject, type Signer } from "../platform-webhooks.ts";

/** The expected entry in `GET /v1/messages`; null for an event that stores no message. */
export interface Expected {
  readonly direction: "inbound" | "echo";
  readonly text: string;
  readonly attachments: readonly ExpectedAttachment[];
  readonly sent_via: string;
  readonly reply_to: string | null;
  readonly story: JsonObject | null;
  readonly quick_reply: JsonObject | null;
  readonly postback: JsonObject | null;
  readonly referral: JsonObject | null;
}

export interface ExpectedAttachment {
  readonly type: string;
  readonly url: string | null;
  readonly title?: string | null;
  readonly coordinates?: { readonly lat: number; readonly long: number } | null;
}

/** The account, the person and the time of an event. */
export interface SampleContext {
  readonly object: PlatformObject;
  readonly signer: Signer;
  readonly account: string;
  readonly person: string;
  readonly at: number;
}

export type SampleDraft = {
  name: string;
  entry: Entry;
  mid?: string | null;
  expected?: Partial<Expected>;
  expectedEventType?: string | null;
};

export function entryWithEvent(
  context: SampleContext,
  content: JsonObject,
  slot: "messaging" | "standby" = "messaging",
): Entry {
  const { account, person, at } = context;
  return {
    time: at,
    id: account,
    [slot]: [{ sender: { id: person }, recipient: { id: account }, timestamp: at, ...content }],
  };
}

export function messageSample(
  context: SampleContext,
  name: string,
  content: JsonObject,
  expected: Partial<Expected>,
): SampleDraft {
  const mid = newMessageId(context.object === "instagram" ? "instagram" : "messenger");
  return { name, mid, entry: entryWithEvent(context, { message: { mid, ...content } }), expected };
}

export function echoSample(
  context: SampleContext,
  name: string,
  content: JsonObject,
  expected: Partial<Expected>,
): SampleDraft {
  const { account, person } = context;
  const mid = newMessageId(context.object === "instagram" ? "instagram" : "messenger");
  const echoContent = {
    sender: { id: account },
    recipient: { id: person },
    message: { mid, is_echo: true, ...content },
  };
  return {
    name,
    mid,
    entry: entryWithEvent(context, echoContent),
    expected: { direction: "echo", sent_via: "native_app", ...expected },
  };
}

export function noticeSample(
  context: SampleContext,
  name: string,
  content: JsonObject,
  expectedEventType?: string,
): SampleDraft {
  return { name, entry: entryWithEvent(context, content), ...(expectedEventType ? { expectedEventType } : {}) };
}

export function attachmentSample(
  context: SampleContext,
  type: string,
  payload: JsonObject | null,
  expected: Partial<Expected> & { attachment: ExpectedAttachment },
): SampleDraft {
  const { attachment: expectedAttachment, ...rest } = expected;
  const attachment = { type, ...(payload === null ? {} : { payload }) };
  return messageSample(
    context,
    `attachment ${type}`,
    { attachments: [attachment] },
    { attachments: [expectedAttachment], ...rest },
  );
}
