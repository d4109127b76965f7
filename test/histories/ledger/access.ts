import { SEALING_DELAY } from "#base/aws/service-keys.ts";
import { HOLD_LIFETIME, SESSION_LIFETIME } from "#base/kernel/limits.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { ApiAnswer, CallerRequest, Change } from "../deeds.ts";
import type { Step } from "../steps/step.ts";
import { mayBeDeleted } from "./deletion.ts";
import { type Evidence, SLACK, wordsIn } from "./evidence.ts";

/** From the start of a request to its end. */
interface Span {
  readonly at: Millis;
  readonly endedAt: Millis | null;
}

/** The value that a thing certainly had during the whole span; null when a change may have met it. */
function certainValue<To>(initial: To, changes: readonly Change<To>[], { at, endedAt }: Span): To | null {
  const earlier = changes.filter(({ askedAt }) => askedAt <= (endedAt ?? Infinity));
  if (earlier.some(({ appliedAt }) => appliedAt === null || appliedAt >= at)) return null;
  const last = earlier.at(-1);
  if (!last) return initial;
  const overlaps = earlier.slice(0, -1).some(({ appliedAt }) => (appliedAt ?? Infinity) >= last.askedAt);
  return overlaps ? null : last.to;
}

const statusDuring = ({ statuses }: Evidence, { tenant, ...span }: Span & Pick<CallerRequest, "tenant">) =>
  certainValue(
    "active",
    statuses.filter((change) => change.tenant === tenant),
    span,
  );

const membershipDuring = ({ memberships }: Evidence, span: Span) => certainValue("member", memberships, span);

/** Whether the key that sealed something at an instant may already have ended: with the second rotation after it. */
function mayHaveEnded({ rotations }: Evidence, sealedAt: Millis, until: Millis): boolean {
  return rotations.filter(({ at, askedAt }) => at > sealedAt - SEALING_DELAY - SLACK && askedAt <= until).length > 1;
}

/** Whether the request came from someone who certainly had no access during all of it. */
function isForbidden(evidence: Evidence, request: CallerRequest): boolean {
  if (mayBeDeleted(evidence, request.tenant)) return false;
  if (statusDuring(evidence, request) === "suspended" && !isAboutThePerson(request)) return true;
  return isAgent(request) && membershipDuring(evidence, request) === "removed" && !isAboutThePerson(request);
}

const isAgent = ({ caller }: CallerRequest) => caller !== "key" && caller.member === "agent";

/** What a signed-in person asks about themselves concerns no tenant. */
const isAboutThePerson = ({ caller, name }: CallerRequest) => caller !== "key" && name === "GET /console/me";

const isSuspended = ({ status, body }: ApiAnswer) => status === 403 && /suspended/.test(body.error.message);

/** The next request after a suspension or a removal is refused, and changes nothing. */
export function judgeForbidden(evidence: Evidence): string[] {
  if (evidence.statuses.length === 0 && evidence.memberships.length === 0) return [];
  const forbidden = evidence.requests.filter((request) => isForbidden(evidence, request));
  return [
    ...forbidden.flatMap(({ name, caller, response }) => {
      if (!response || response.status >= 500) return [];
      if (caller === "key" ? isSuspended(response) : response.status >= 400) return [];
      return [`${nameOf(caller)} has no access, and ${name} was answered ${response.status}`];
    }),
    ...textsOnlyIn(evidence, forbidden).flatMap((text) => [
      ...(evidence.calls.some((call) => call.text === text) ? [`${text} was sent without access`] : []),
      ...(evidence.changes.some(({ after }) => after && wordsIn(after).includes(text))
        ? [`${text} was stored without access`]
        : []),
    ]),
  ];
}

const nameOf = (caller: CallerRequest["caller"]) => (caller === "key" ? "a key" : `the ${caller.member}`);

/** The texts that no other request sent. */
function textsOnlyIn({ requests }: Evidence, some: readonly CallerRequest[]): string[] {
  const texts = new Set(some.flatMap(({ text }) => (text === null ? [] : [text])));
  return [...texts].filter((text) => requests.every((each) => each.text !== text || some.includes(each)));
}

const MAY_LACK_ACCESS: ReadonlySet<string> = new Set(["unauthorized", "forbidden", "csrf_failed"]);
/** How long before its end a session may be refused. */
const ENDS_EARLY: Millis = MINUTE;

/** A caller who certainly has access is not refused for lack of it, also beside and after a rotation of the root secret. */
export function judgeAccess(evidence: Evidence): string[] {
  return evidence.requests.flatMap((request) => {
    const { name, caller, at, endedAt, response } = request;
    if (!response || !MAY_LACK_ACCESS.has(response.body.error?.code)) return [];
    if (statusDuring(evidence, request) !== "active" || mayBeDeleted(evidence, request.tenant)) return [];
    if (caller === "key") return response.status === 401 || isSuspended(response) ? [refusedText(request)] : [];
    const isLive = at < caller.since + SESSION_LIFETIME - ENDS_EARLY;
    const mayBeMember = caller.member === "owner" || membershipDuring(evidence, request) === "member";
    if (!isLive || mayHaveEnded(evidence, caller.since, endedAt ?? Infinity)) return [];
    if (!mayBeMember && response.status !== 401) return [];
    return [`${refusedText(request)} (${name})`];
  });
}

function refusedText({ name, caller, response }: CallerRequest): string {
  return `${nameOf(caller)} has access, and ${name} was answered ${response?.status} ${response?.body.error.code}`;
}

/** A member gets a sign-in link, also after rotations between which no one used the address. */
export function judgeLinks(evidence: Evidence): string[] {
  const { links, history } = evidence;
  if (links.length === 0 || history.steps.some(([step]) => mayLoseMail(step))) return [];
  return links
    .filter(
      (link) =>
        link.hasCome === false &&
        statusDuring(evidence, link) === "active" &&
        (link.member === "owner" || membershipDuring(evidence, link) === "member"),
    )
    .map(({ member }) => `the ${member} is a member and got no sign-in link`);
}

/** Of what can happen to a mail or to the function that asks for it. */
function mayLoseMail(step: Step): boolean {
  if (step.do === "bury") return step.queue === "Mails";
  return step.do === "trouble" && (step.name === "mail" || step.name === "console");
}

/** A held message can be checked, and a walk continued, beside and after a rotation of the root secret. */
export function judgeRotations(evidence: Evidence): string[] {
  return [
    ...evidence.checks.flatMap(({ hold, challengedAt, at, response }) => {
      if (!response || mayHaveEnded(evidence, challengedAt, at + MINUTE)) return [];
      const { status, body } = response;
      const isRefused = status === 400 && body.error.detail === "invalid_token";
      const isLost =
        status === 404 && at < hold.createdAt + HOLD_LIFETIME && !evidence.mayBeErased(hold.person, hold.createdAt);
      return isRefused || isLost ? [`the check of the held ${hold.text} was answered ${status}`] : [];
    }),
    ...evidence.pages.flatMap(({ tenant, cursorAt, at, response }) =>
      response.status === 400 && !mayHaveEnded(evidence, cursorAt, at + MINUTE)
        ? [`a cursor of ${tenant} was refused ${at - cursorAt} ms after its response`]
        : [],
    ),
  ];
}
