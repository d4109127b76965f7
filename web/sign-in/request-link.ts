import { HttpClient, ParleyError } from "#client";
import { fillText, type SignInPageTexts } from "../../shared/base/languages/texts.ts";
import { formatDuration } from "../common/durations.ts";
import { pageLanguage } from "../common/page-texts.ts";

const MINUTE_SECONDS = 60;

/** Why no link was requested. */
export interface RequestProblem {
  readonly problem: string;
  /** Whether the address is to be corrected. */
  readonly field: boolean;
}

/** Who asks for a link. */
export interface LinkRequest {
  readonly email: string;
  /** The page to which the link redirects; null: the console. */
  readonly redirect: string | null;
  /** The id of the invite whose mail links to this page; null for none. */
  readonly invite: string | null;
}

/** Requests a sign-in link for an email address. */
export async function requestLink(
  texts: SignInPageTexts,
  { email, redirect, invite }: LinkRequest,
): Promise<"sent" | RequestProblem> {
  try {
    await new HttpClient().request("POST /console/auth/request", {
      body: { email, ...(redirect === null ? {} : { redirect }), ...(invite === null ? {} : { invite }) },
    });
    return "sent";
  } catch (error) {
    return toProblem(texts, error);
  }
}

/** "No connection" also where a proxy or a Wi-Fi sign-in page answered in place of Parley. */
function toProblem(texts: SignInPageTexts, error: unknown): RequestProblem {
  const { status, retryAfter } = error instanceof ParleyError ? error : { status: null, retryAfter: null };
  if (status === null || status < 400) return { problem: texts.noConnection, field: false };
  if (status === 400) return { problem: texts.invalidEmail, field: true };
  if (status !== 429) return { problem: texts.failed, field: false };
  const minutes = Math.max(1, Math.ceil((retryAfter ?? MINUTE_SECONDS) / MINUTE_SECONDS));
  const time = formatDuration(minutes * MINUTE_SECONDS, pageLanguage());
  return { problem: fillText(texts.tooMany, { time }), field: false };
}
