import fc from "fast-check";
import { MID } from "./webhook-payloads.ts";

// Values of the known members, each valid or arbitrary.
const anything = fc.jsonValue({ maxDepth: 2 });
const orAnything = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: anything });
const object = (members: Record<string, fc.Arbitrary<unknown>>) => orAnything(fc.record(members, { requiredKeys: [] }));
const id = orAnything(fc.constantFrom("1", "22", 33, "a#b", "17841400000000001"));
const participant = object({ id });
const time = orAnything(fc.constantFrom(1_793_000_000_123, 1_793_000_000, "1793000000123", -1, 1e300));
const mid = orAnything(fc.constantFrom(MID, "m_1", ""));
const attachment = object({
  type: orAnything(fc.constantFrom("image", "share", "location", "toString")),
  payload: object({ url: orAnything(fc.webUrl()), sticker_id: anything }),
});
const message = object({
  mid,
  text: orAnything(fc.string({ unit: "binary" })),
  attachments: orAnything(fc.array(attachment, { maxLength: 3 })),
  reply_to: object({ mid }),
  is_echo: orAnything(fc.boolean()),
  is_deleted: orAnything(fc.constant(false)),
  is_self: orAnything(fc.constant(false)),
  app_id: id,
  metadata: orAnything(fc.string()),
});
const event = object({
  sender: participant,
  recipient: participant,
  timestamp: time,
  message,
  postback: object({ mid, title: orAnything(fc.string()), payload: anything }),
  reaction: object({ mid, action: orAnything(fc.constant("react")) }),
  read: object({ mid, watermark: time }),
  delivery: object({ mids: orAnything(fc.array(mid, { maxLength: 3 })) }),
  message_edit: object({ mid, text: orAnything(fc.string()), num_edit: orAnything(fc.constantFrom(0, 1)) }),
  policy_enforcement: object({ action: orAnything(fc.constant("block")), reason: anything }),
});
const change = object({ field: orAnything(fc.constant("messages")), value: event });
const entry = object({
  id,
  time,
  messaging: orAnything(fc.array(event)),
  standby: orAnything(fc.array(event)),
  changes: orAnything(fc.array(change)),
});
/** The body of a webhook with arbitrary values in the place of some members. */
export const nearlyValidWebhook = object({
  object: orAnything(fc.constantFrom("instagram", "page")),
  entry: orAnything(fc.array(entry, { maxLength: 3 })),
});
