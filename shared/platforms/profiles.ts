import * as z from "zod/mini";
import { readRefusal } from "./errors.ts";
import type { PlatformHttp } from "./http.ts";
import { asObject, parseJson, textOf } from "./json.ts";
import type { FoundProfile, ProfileOutcome, RefusalClass, SendRefused } from "./platform.ts";

const NAME_CHARS_MAX = 200;
const USERNAME_CHARS_MAX = 100;

/** Control characters, line breaks, and what turns the direction of the text around it. */
const NOT_OF_A_NAME = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;

const text = z.catch(z.nullish(z.string()), null);
const answered = z.object({
  id: z.catch(z.nullish(z.union([z.string(), z.number()])), null),
  name: text,
  first_name: text,
  last_name: text,
  username: text,
  profile_pic: text,
});

/**
 * Asks a platform about one person.
 * @param api the host and version
 * @param fields what the platform has of people
 */
export async function readProfile(
  http: PlatformHttp,
  api: string,
  token: string,
  participantId: string,
  fields: readonly string[],
): Promise<ProfileOutcome> {
  // People's ids are digits. Anything else would be another path, such as `me`, the account itself.
  if (!/^\d{1,64}$/.test(participantId)) return { kind: "unavailable" };
  const answer = await http.get(`${api}/${participantId}?fields=${fields.join(",")}`, token);
  if (answer.kind !== "answered") return { kind: "unknown" };
  const body = asObject(parseJson(answer.body));
  if (answer.status >= 200 && answer.status <= 299) return foundIn(body) ?? { kind: "unknown" };
  const error = answer.status >= 400 && answer.status <= 499 ? asObject(body?.error) : null;
  const refused = error && readRefusal(error, answer, token);
  return { kind: refused && isKeptFromUs(refused) ? "unavailable" : "unknown" };
}

/** Null when the answer tells nothing at all of a person. */
function foundIn(body: object | null): FoundProfile | null {
  const { data } = answered.safeParse(body);
  if (!data || Object.values(data).every((value) => value === null || value === undefined)) return null;
  const whole = `${data.first_name ?? ""} ${data.last_name ?? ""}`;
  return {
    kind: "found",
    name: nameOf(data.name, NAME_CHARS_MAX) ?? nameOf(whole, NAME_CHARS_MAX),
    username: nameOf(data.username, USERNAME_CHARS_MAX),
    pictureUrl: data.profile_pic ?? null,
  };
}

function nameOf(value: string | null | undefined, max: number): string | null {
  const clean = value?.replace(NOT_OF_A_NAME, " ").trim();
  return textOf(clean, max)?.trim() || null;
}

// What the platform does not show to this account. Anything about the account's own state or pace leaves open what
// it would say another time.
const kept: ReadonlySet<RefusalClass> = new Set(["recipient", "permission", "invalid"]);
const keptCodes: ReadonlySet<number | null> = new Set([230, 2018218, 2018247]);

function isKeptFromUs(refused: SendRefused): boolean {
  return kept.has(refused.class) || keptCodes.has(refused.code) || keptCodes.has(refused.subcode);
}
