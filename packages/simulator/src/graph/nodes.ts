import { createHash } from "node:crypto";
import { type Context, type NodeCall, parameter } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { parseFields, selectFields, type Values } from "../calls/fields.ts";
import { type HttpOutcome, json } from "../http/http-server.ts";
import type { Account, Person, Token } from "../world/model.ts";
import { pageOf } from "../world/pages.ts";
import { isInstagram } from "../world/platform.ts";

const PICTURE_LIFE_MS = 36 * 3_600_000;

/** `GET /{id}` and `GET /me`: the account of the token, or a person who wrote to it. */
export function readNode(context: Context, { host, node, token, call }: NodeCall): HttpOutcome {
  const fields = parameter(call, "fields");
  const onInstagram = host === "instagram";
  if (token.kind === "user") {
    if (node !== "me" && node !== token.subject) throw refuse.unknownNode("GET", node);
    const name = context.world.state.users.find(({ id }) => id === token.subject)?.name ?? "Unknown user";
    return json(200, selectFields({ id: token.subject, name }, parseFields(fields ?? "id,name"), false));
  }
  const self = onInstagram ? instagramSelf(context, token, node) : pageSelf(context, token, node);
  if (self !== null) return json(200, selectFields(self, parseFields(fields ?? "id"), onInstagram));
  const accounts = onInstagram
    ? context.world.state.accounts.filter((account) => account.key === `instagram_login:${token.subject}`)
    : context.world.accountsOfPage(token.subject);
  for (const account of accounts) {
    const person = context.world.person(account, node);
    if (person !== undefined) return readProfile(context, account, person, { fields, onInstagram });
  }
  throw refuse.unknownNode("GET", node);
}

function instagramSelf(context: Context, token: Token, node: string): Values | null {
  const account = context.world.account(`instagram_login:${token.subject}`);
  if (account === undefined) throw refuse.unreadableToken();
  if (!["me", account.externalId, account.appScopedId].includes(node)) return null;
  return {
    id: account.appScopedId,
    user_id: account.externalId,
    username: account.handle,
    name: account.displayName,
    account_type: "BUSINESS",
    profile_picture_url: instagramPicture(context, account.externalId),
    followers_count: 1200,
    follows_count: 80,
    media_count: 64,
  };
}

/** A Page as Graph returns it, with its linked Instagram account. */
export function toPageNode(context: Context, pageId: string): Values {
  const { name, username, instagram } = pageOf(context.world, pageId);
  const linked = instagram && {
    id: instagram.externalId,
    username: instagram.handle,
    name: instagram.displayName,
    profile_picture_url: instagramPicture(context, instagram.externalId),
  };
  const url = `${context.url()}/media/account-${pageId}.png?ext=${pictureEnd(context)}`;
  const picture = { data: { height: 50, width: 50, is_silhouette: false, url } };
  return {
    id: pageId,
    name,
    username,
    category: "Local business",
    picture,
    instagram_business_account: linked ?? null,
  };
}

/** The page of the token, or its linked Instagram account. */
function pageSelf(context: Context, token: Token, node: string): Values | null {
  const page = toPageNode(context, token.subject);
  if (node === "me" || node === token.subject) return page;
  const linked = page.instagram_business_account as Values | null;
  return linked?.id === node ? linked : null;
}

/** When the address of a picture ends: Unix seconds. */
function pictureEnd(context: Context): number {
  return Math.floor((context.world.now() + PICTURE_LIFE_MS) / 1_000);
}

function instagramPicture(context: Context, externalId: string): string {
  return `${context.url()}/media/account-${externalId}.png?oe=${pictureEnd(context).toString(16).toUpperCase()}`;
}

/** People of one name have one face, so that a scenario looks the same each time. */
function faceOf({ name }: Person): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 12);
}

/** A picture's URL expires. Instagram puts the time in `oe` as hex seconds, Messenger in `ext` as decimal seconds. */
function pictureUrl(context: Context, account: Account, person: Person): string {
  const seconds = pictureEnd(context);
  const end = isInstagram(account) ? `oe=${seconds.toString(16).toUpperCase()}` : `ext=${seconds}`;
  return `${context.url()}/media/person-${faceOf(person)}.png?${end}`;
}

function readProfile(
  context: Context,
  account: Account,
  person: Person,
  { fields, onInstagram }: { fields: string | undefined; onInstagram: boolean },
): HttpOutcome {
  const thread = context.world.thread(account, person);
  if (isInstagram(account)) {
    // A person consents by writing. The profile of a person who never wrote stays private.
    if (thread.lastInboundAt === null || person.blocked) throw refuse.noConsent(onInstagram);
    if (!person.profile) throw refuse.noConsent(onInstagram);
  } else if (!person.profile) throw refuse.noProfile();
  const picture = person.picture === false ? null : pictureUrl(context, account, person);
  const [first = "", ...rest] = person.nameless ? [] : person.name.split(" ");
  const name = person.nameless ? null : person.name;
  const values = isInstagram(account)
    ? {
        id: person.id,
        name,
        username: person.nameless ? null : person.username,
        profile_pic: picture,
        follower_count: 311,
        is_user_follow_business: true,
        is_business_follow_user: false,
        is_verified_user: false,
      }
    : { id: person.id, name, first_name: first || null, last_name: rest.join(" ") || null, profile_pic: picture };
  return json(
    200,
    selectFields(
      values,
      parseFields(fields ?? (isInstagram(account) ? "name,username" : "first_name,last_name")),
      onInstagram,
    ),
  );
}
