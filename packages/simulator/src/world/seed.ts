import { scopedId } from "./mids.ts";
import { type Account, emptyState, type SeedAccount, type State } from "./model.ts";
import { newPerson } from "./people.ts";

/** The default accounts: one of each connection. */
export const exampleAccounts: readonly SeedAccount[] = [
  {
    connection: "instagram_login",
    externalId: "17841405793187218",
    pageId: null,
    handle: "juniper.bakery",
    displayName: "Juniper Bakery",
    token: "IGAASimulatorJuniperBakery",
  },
  {
    connection: "instagram_page",
    externalId: "17841440011223344",
    pageId: "104512347788901",
    handle: "harbour.bikes",
    displayName: "Harbour Bikes",
    token: "EAASimulatorHarbourBikes",
  },
  {
    connection: "messenger",
    externalId: "104512347788901",
    pageId: "104512347788901",
    handle: "harbourbikes",
    displayName: "Harbour Bikes",
    token: "EAASimulatorHarbourBikes",
  },
];

/** Accounts that exist on the platforms and are not connected yet, for logins. */
export const unconnectedAccounts: readonly SeedAccount[] = [
  {
    connection: "instagram_login",
    externalId: "17841402200110044",
    pageId: null,
    handle: "fern.and.field",
    displayName: "Fern & Field",
    token: "",
    isConnected: false,
  },
  {
    connection: "messenger",
    externalId: "106631254400117",
    pageId: "106631254400117",
    handle: "copperkettle",
    displayName: "Copper Kettle",
    token: "",
    isConnected: false,
  },
  {
    connection: "instagram_page",
    externalId: "17841409900887766",
    pageId: "106631254400117",
    handle: "copper.kettle",
    displayName: "Copper Kettle",
    token: "",
    isConnected: false,
  },
  {
    connection: "messenger",
    externalId: "108820017733529",
    pageId: "108820017733529",
    handle: "lanternbooks",
    displayName: "Lantern Books",
    token: "",
    isConnected: false,
  },
  {
    connection: "messenger",
    externalId: "110047710092835",
    pageId: "110047710092835",
    handle: "quarryrecords",
    displayName: "Quarry Records",
    token: "",
    isConnected: false,
    canMessage: false,
  },
];

/** The first person of each account, in the order of the accounts. */
const firstNames = ["Robin Vale", "Mina Okafor", "Jonas Lind", "Aiko Tan", "Lucía Ferrer", "Sam Whitlock"];

const defaultFields = {
  page: [
    "messages",
    "message_echoes",
    "message_reads",
    "message_deliveries",
    "message_reactions",
    "message_edits",
    "messaging_postbacks",
    "messaging_referrals",
    "standby",
    "messaging_policy_enforcement",
  ],
  instagram: [
    "messages",
    "messaging_postbacks",
    "messaging_seen",
    "message_reactions",
    "messaging_referral",
    "standby",
  ],
} as const;

/** The fields that an app subscribes to for an account. */
export function defaultSubscription({ pageId }: Pick<Account, "pageId">): string[] {
  return [...(pageId === null ? defaultFields.instagram : defaultFields.page)];
}

function accountKey(connection: string, externalId: string): string {
  return `${connection}:${externalId}`;
}

/**
 * Adds an account, its token, a first person and, the first time, its subscription: a seed is an account that is already
 * connected, unless it says otherwise.
 * An existing account keeps its threads and gets the seed's names and token.
 * Throws if an Instagram account on a Page has no Page id.
 */
export function addSeedAccount(state: State, seed: SeedAccount, now: number): Account {
  const { connection, externalId, pageId, handle, displayName, token, isConnected = true, canMessage = true } = seed;
  if (connection !== "instagram_login" && pageId === null) {
    throw new Error(`the ${connection} account ${externalId} needs a pageId`);
  }
  const key = accountKey(connection, externalId);
  const existing = state.accounts.find((account) => account.key === key);
  const account: Account = {
    key,
    connection,
    externalId,
    appScopedId: existing?.appScopedId ?? seed.appScopedId ?? scopedId(),
    pageId: connection === "instagram_login" ? null : pageId,
    handle,
    displayName,
    ...(canMessage ? {} : { canMessage }),
  };
  if (existing === undefined) state.accounts.push(account);
  else Object.assign(existing, account);

  const node = account.pageId ?? externalId;
  if (!state.people.some((person) => person.account === key)) {
    const name = firstNames[state.accounts.length - 1] ?? "Robin Vale";
    state.people.push(newPerson(account, name));
  }
  if (!isConnected) return account;
  if (existing === undefined && state.subscriptions[node] === undefined) {
    state.subscriptions[node] = defaultSubscription(account);
  }
  if (!state.tokens.some((candidate) => candidate.value === token)) {
    state.tokens.push({
      value: token,
      kind: account.pageId === null ? "instagram_user" : "page",
      subject: node,
      issuedAt: now,
      expiresAt: account.pageId === null ? now + 60 * 24 * 3_600_000 : null,
      scopes:
        account.pageId === null
          ? ["instagram_business_basic", "instagram_business_manage_messages"]
          : ["pages_messaging", "pages_manage_metadata", "instagram_basic", "instagram_manage_messages"],
      revoked: false,
    });
  }
  return account;
}

/** A world from the stored state of an earlier run, with the seed accounts added. */
export function addSeedAccounts(stored: State, seeds: readonly SeedAccount[], now: number): State {
  const state = { ...emptyState(), ...stored };
  for (const seed of seeds) addSeedAccount(state, seed, now);
  return state;
}
