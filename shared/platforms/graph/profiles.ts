import { readRefusal } from "./errors.ts";
import type { PlatformHttp } from "./http.ts";
import { asObject, type JsonObject, NAME_CHARS_MAX, parseJson, readDisplayName, USERNAME_CHARS_MAX } from "./json.ts";
import type { PlatformProfile, ProfileOutcome, RefusalClass, SendRefused } from "./platform.ts";

interface ProfileRequest {
  /** The base URL and version. */
  readonly api: string;
  readonly token: string;
  readonly participantId: string;
  /** The parameters: the profile fields that the platform has, and the proof of the app. */
  readonly query: Readonly<Record<string, string>>;
}

/** Looks up the profile of one person. */
export async function readProfile(
  http: PlatformHttp,
  { api, token, participantId, query }: ProfileRequest,
): Promise<ProfileOutcome> {
  // The ids of people are digits. Any other id would be another path, such as `me`, the account itself.
  if (!/^\d{1,64}$/.test(participantId)) return { kind: "unavailable" };
  const parameters = Object.entries(query).map((entry) => entry.join("="));
  const outcome = await http.get({ url: `${api}/${participantId}?${parameters.join("&")}`, token });
  if (outcome.kind !== "answered" || outcome.status >= 500) return { kind: "later", coolDownMs: null };
  const body = asObject(parseJson(outcome.body));
  if (outcome.status >= 200 && outcome.status <= 299) return parseProfile(body) ?? { kind: "unknown" };
  const error = outcome.status >= 400 && outcome.status <= 499 ? asObject(body?.error) : null;
  const refusal = error && readRefusal(error, outcome, [token]);
  if (refusal?.class === "rate") return { kind: "later", coolDownMs: refusal.coolDownMs };
  return { kind: refusal && isProfileHidden(refusal) ? "unavailable" : "unknown" };
}

/** @returns null when the response has no field of a profile */
function parseProfile(body: JsonObject | null): PlatformProfile | null {
  if (!body) return null;
  const [name, firstName, lastName, username, pictureUrl] = PROFILE_TEXTS.map((field) => asText(body[field]));
  const hasId = typeof body.id === "string" || Number.isFinite(body.id);
  if (!hasId && PROFILE_TEXTS.every((field) => asText(body[field]) === null)) return null;
  return {
    kind: "found",
    name:
      readDisplayName(name, NAME_CHARS_MAX) ?? readDisplayName(`${firstName ?? ""} ${lastName ?? ""}`, NAME_CHARS_MAX),
    username: readDisplayName(username, USERNAME_CHARS_MAX),
    pictureUrl: pictureUrl ?? null,
  };
}

const PROFILE_TEXTS = ["name", "first_name", "last_name", "username", "profile_pic"] as const;

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

// Refusals that mean the platform does not show this person to the account. A refusal because of the account's own
// state or rate says nothing about the person.
const hiddenClasses: ReadonlySet<RefusalClass> = new Set(["recipient", "permission", "invalid"]);
const hiddenCodes: ReadonlySet<number | null> = new Set([230, 2018218, 2018247]);

function isProfileHidden(refusal: SendRefused): boolean {
  return hiddenClasses.has(refusal.class) || hiddenCodes.has(refusal.code) || hiddenCodes.has(refusal.subcode);
}
