import {
  BadInput,
  type Fields,
  isFields,
  optionalBoolean,
  optionalEnum,
  optionalInteger,
  optionalString,
} from "../http/fields.ts";
import type { StepName } from "../scenario/model.ts";
import { faultModes, faultTargets } from "../world/faults.ts";
import { tokenActions } from "../world/token-actions.ts";
import { personKinds } from "./person-events.ts";

/** What a field of a step may be: as a check, and as JSON Schema, of which null is always a part and means that the field is absent. */
interface FieldRule {
  /** Throws a BadInput if the field is set and not valid. */
  readonly check: (fields: Fields, name: string) => void;
  readonly schema: object;
}

const charsMax = 20_000;
const attachmentsMax = 30;
const yearMs = 365 * 24 * 3_600_000;

const text: FieldRule = {
  check(fields, name) {
    if ((optionalString(fields, name) ?? "").length > charsMax)
      throw new BadInput(`${name} is longer than ${charsMax} characters`);
  },
  schema: { type: ["string", "null"], maxLength: charsMax },
};
const flag: FieldRule = {
  check: (fields, name) => void optionalBoolean(fields, name),
  schema: { type: ["boolean", "null"] },
};
const integer = (min: number, max: number): FieldRule => ({
  check: (fields, name) => void optionalInteger(fields, name, min, max),
  schema: { type: ["integer", "null"], minimum: min, maximum: max },
});
const oneOf = (values: readonly string[]): FieldRule => ({
  check: (fields, name) => void optionalEnum(fields, name, values),
  schema: { enum: [...values, null] },
});

const attachments: FieldRule = {
  check(fields, name) {
    const list = fields[name] ?? [];
    if (!Array.isArray(list) || list.length > attachmentsMax || !list.every(isFields))
      throw new BadInput(`${name} must be a list of at most ${attachmentsMax} {type, url}`);
  },
  schema: { type: ["array", "null"], maxItems: attachmentsMax, items: { type: "object" } },
};

/** The fields of each step, with their rules. The route itself checks what depends on the state. */
export const stepFields: Record<StepName, Record<string, FieldRule>> = {
  "person-sends": {
    person: text,
    kind: oneOf(personKinds),
    text,
    attachments,
    mid: text,
    reply_to: text,
    emoji: text,
    payload: text,
    ad_id: text,
    by_account: flag,
  },
  "account-sends": { person: text, text, attachments, reply_to: text },
  people: {
    person: text,
    name: text,
    username: text,
    blocked: flag,
    standby: flag,
    role: flag,
    profile: flag,
    nameless: flag,
    picture: flag,
  },
  policy: { action: oneOf(["warning", "block", "unblock"]), reason: text },
  tokens: { action: oneOf(tokenActions), life_ms: integer(0, yearMs) },
  restrictions: { minutes: integer(0, 60 * 24 * 365) },
  subscriptions: { subscribed: flag },
  faults: {
    mode: oneOf(faultModes),
    on: oneOf(faultTargets),
    for: integer(1, 1_000_000),
    skip: integer(0, 1_000_000),
    code: integer(1, 99_999_999),
    subcode: integer(1, 99_999_999),
    status: integer(400, 599),
    minutes: integer(0, 1_000_000),
  },
  delivery: { batch: integer(1, 1000), duplicate: integer(0, 10), shuffle: flag },
  "deliver-now": {},
  clock: { advance_ms: integer(1, yearMs) },
  wait: { ms: integer(1, 60_000) },
};

/** The fields without which a step does nothing. */
export const requiredFields: Partial<Record<StepName, readonly string[]>> = {
  policy: ["action"],
  faults: ["mode"],
  clock: ["advance_ms"],
  wait: ["ms"],
};
