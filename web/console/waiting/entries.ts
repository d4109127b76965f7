import type { Account } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { pastTime } from "../admin/times.ts";
import type { Tone } from "../admin/tones.ts";
import { may } from "../common/rights.ts";
import { deadline } from "../common/times.ts";
import { accountName } from "../data/accounts.ts";
import { platformName } from "../data/names.ts";
import type { Role } from "../data/types.ts";
import { instant } from "../data/types.ts";
import { isUnused, type Key } from "../keys/key-state.ts";
import { inboxPath, sidePath } from "../paths.ts";
import type { Me } from "../session/session.ts";
import { type Endpoint, hostOf, isCircuitOpen, isPausedByParley } from "../webhooks/endpoint-state.ts";
import type { Held } from "./held.ts";
import { texts } from "./texts.ts";

/** Something that waits for a person: what, why, since when, and the page on which it is done. */
export interface WaitingEntry {
  readonly key: string;
  readonly tone: Tone;
  readonly state: string;
  readonly title: string;
  readonly text: string;
  /** A link; null for an invite, which is answered in its row. */
  readonly action: { readonly label: string; readonly href: string } | null;
  /** The invite of the entry. */
  readonly invite?: Me["invites"][number];
}

export interface WaitingFacts {
  readonly accounts: readonly Account[];
  readonly endpoints: readonly Endpoint[];
  readonly keys: readonly Key[];
  readonly invites: Me["invites"];
  readonly held: readonly Held[];
}

interface Reader {
  readonly tenant: string;
  readonly role: Role;
  /** The server's time in epoch milliseconds. */
  readonly now: number;
  /** The name of the person of a conversation; null when it is not loaded. */
  readonly nameOf: (conversation: string) => string | null;
}

/** The entries for a reader: what ends within minutes first, then what does not work, then what may be old. */
export function waitingEntries(facts: WaitingFacts, reader: Reader): readonly WaitingEntry[] {
  const entries = [
    ...facts.held.map((held) => heldEntry(held, reader)),
    ...facts.accounts.flatMap((account) => accountEntries(account, reader)),
    ...(may(reader.role, "GET /v1/webhooks") ? facts.endpoints.flatMap((each) => endpointEntry(each, reader)) : []),
    ...facts.invites.map((invite) => inviteEntry(invite, reader)),
    ...(may(reader.role, "GET /v1/keys") ? facts.keys.flatMap((key) => keyEntry(key, reader)) : []),
  ];
  const order = ["held", "bad", "warn", "ok", "off"];
  const rank = ({ key, tone }: WaitingEntry) => order.indexOf(key.startsWith("held ") ? "held" : tone);
  return entries.sort((a, b) => rank(a) - rank(b));
}

function heldEntry({ conversation, endsAt, isOwn }: Held, { tenant, now, nameOf }: Reader): WaitingEntry {
  const name = nameOf(conversation) ?? texts.someone;
  const until = deadline(endsAt, now);
  return {
    key: `held ${conversation} ${endsAt}`,
    tone: "warn",
    state: texts.states.held,
    title: texts.heldTitle(name),
    text: isOwn ? texts.heldOwn(until) : texts.heldOther(until),
    action: { label: isOwn ? texts.check : texts.openConversation, href: inboxPath(tenant, conversation) },
  };
}

function accountEntries(account: Account, { tenant, role, now }: Reader): WaitingEntry[] {
  const { account_key, platform, status } = account;
  const name = accountName(account);
  const mayConnect = role !== "agent";
  const who = mayConnect ? "" : ` ${texts.askAdmin}`;
  const base = { title: `${name}, ${platformName(platform)}` };
  const action = {
    label: mayConnect ? texts.connectAgain : texts.openAccounts,
    href: sidePath(tenant, "accounts"),
  };
  const entry = (kind: keyof typeof texts.states, tone: Tone, text: string): WaitingEntry => ({
    ...base,
    key: `${kind} ${account_key}`,
    tone,
    state: texts.states[kind],
    text: text + who,
    action,
  });
  const missingSince = instant(account.missing_since);
  const endsAt = instant(account.token_expires_at);
  return [
    ...(status === "needs_reauth" ? [entry("dead", "bad", texts.dead)] : []),
    ...(status === "restricted" ? [entry("restricted", "bad", texts.restricted)] : []),
    ...(status === "refresh_failing"
      ? [entry("failing", "warn", texts.failing(endsAt === null ? null : deadline(endsAt, now)))]
      : []),
    ...(missingSince === null ? [] : [entry("missing", "warn", texts.missing(pastTime(missingSince, now)))]),
  ];
}

function endpointEntry(endpoint: Endpoint, { tenant, now }: Reader): WaitingEntry[] {
  const isPaused = isPausedByParley(endpoint);
  if (!isPaused && !isCircuitOpen(endpoint)) return [];
  const since = instant(endpoint.health.since);
  return [
    {
      key: `endpoint ${endpoint.id}`,
      tone: isPaused ? "bad" : "warn",
      state: isPaused ? texts.states.paused : texts.states.open,
      title: printableText(hostOf(endpoint.url)),
      text: isPaused ? texts.paused : texts.open(since === null ? null : pastTime(since, now)),
      action: { label: texts.openEndpoint, href: sidePath(tenant, "webhooks", endpoint.id) },
    },
  ];
}

function keyEntry(key: Key, { tenant, now }: Reader): WaitingEntry[] {
  if (!isUnused(key, now)) return [];
  const usedAt = instant(key.last_used_at);
  return [
    {
      key: `key ${key.id}`,
      tone: "off",
      state: texts.states.unused,
      title: printableText(key.label).trim() || texts.unnamedKey(printableText(key.prefix)),
      text: usedAt === null ? texts.neverUsed : texts.unused(pastTime(usedAt, now)),
      action: { label: texts.openKeys, href: sidePath(tenant, "keys") },
    },
  ];
}

function inviteEntry(invite: Me["invites"][number], { now }: Reader): WaitingEntry {
  const until = instant(invite.expires_at);
  return {
    key: `invite ${invite.id}`,
    tone: "warn",
    state: texts.states.invite,
    title: `${printableText(invite.name)} (${invite.tenant})`,
    text: texts.invite(
      invite.role,
      invite.invited_by_email === null ? null : printableText(invite.invited_by_email),
      until === null ? null : deadline(until, now),
    ),
    action: null,
    invite,
  };
}
