import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalEnum, optionalInteger, optionalString } from "../http/fields.ts";
import type { Token } from "../world/model.ts";
import { revocations, tokenActions } from "../world/token-actions.ts";
import type { World } from "../world/world.ts";
import { requireAccount } from "./targets.ts";

const day = 24 * 3_600_000;
const lifeMax = 365 * day;

/** A token without its value. */
interface TokenStatus {
  kind: Token["kind"];
  subject: string;
  user: string | null;
  issued_at: number;
  expires_at: number | null;
  /** The subcode of error 190 with which the token is refused; null while it is good. */
  refused_with: number | null;
  scopes: string[];
}

export function tokenStatus(token: Token, now: number): TokenStatus {
  const { kind, subject, user = null, issuedAt, expiresAt, scopes } = token;
  const isExpired = expiresAt !== null && expiresAt <= now;
  const refused = token.revoked ? (token.subcode ?? revocations.revoke ?? null) : isExpired ? 463 : null;
  return { kind, subject, user, issued_at: issuedAt, expires_at: expiresAt, refused_with: refused, scopes };
}

/**
 * Changes every token of an account, or every token that a Facebook user granted.
 * Fields: `account, connection?` or `user`; `action` or `life_ms`, the time until the tokens end.
 */
export async function changeTokens({ world }: Context, fields: Fields): Promise<{ tokens: TokenStatus[] }> {
  const tokens = tokensOf(world, fields);
  const action = optionalEnum(fields, "action", tokenActions);
  const life = optionalInteger(fields, "life_ms", 0, lifeMax);
  if (action === undefined && life === undefined)
    throw new BadInput(`action must be one of ${tokenActions.join(", ")}`);
  const now = world.now();
  for (const token of tokens) {
    if (life !== undefined) token.expiresAt = now + life;
    if (action !== undefined) changeToken(token, action, now);
  }
  await world.save();
  return { tokens: tokens.map((token) => tokenStatus(token, now)) };
}

function tokensOf(world: World, fields: Fields): Token[] {
  const user = optionalString(fields, "user");
  if (user !== undefined) return tokensOfUser(world, user);
  const account = requireAccount(world, fields);
  const node = account.pageId ?? account.externalId;
  return world.state.tokens.filter(({ kind, subject }) => kind !== "user" && subject === node);
}

/** The tokens that a Facebook user granted: their own and those of Pages. */
export function tokensOfUser({ state }: World, user: string): Token[] {
  const first = state.users[0]?.id;
  return state.tokens.filter((token) =>
    token.kind === "page" ? (token.user ?? first) === user : token.kind === "user" && token.subject === user,
  );
}

function changeToken(token: Token, action: string, now: number): void {
  const subcode = revocations[action];
  if (subcode !== undefined) {
    token.revoked = true;
    token.subcode = subcode;
  } else if (action === "expire") token.expiresAt = now;
  else {
    token.revoked = false;
    delete token.subcode;
    if (token.kind === "page") token.expiresAt = null;
    else if (token.expiresAt !== null && token.expiresAt <= now) token.expiresAt = now + 60 * day;
  }
}

/** Ends tokens as the removal of the app does. */
export function removeApp(tokens: readonly Token[], now: number): void {
  for (const token of tokens) changeToken(token, "remove_app", now);
}
