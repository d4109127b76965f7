/** A platform login that made a connection of an account. */
export interface ConnectionLogin {
  /** The platform's id of the person. */
  readonly platformUserId: string;
  readonly connectionId: string;
}

/** What a row of an account says of the logins that connected it. */
export interface LoginsOfRow {
  readonly connectionId: string;
  /** The platform's ids of the person who made the connection. */
  readonly authorizedBy: readonly string[];
  /** Logins of earlier connections whose rows may have no end. */
  readonly formerLogins?: readonly ConnectionLogin[];
}

/**
 * The logins whose rows need an end once an account is connected by `authorizedBy`: all that the rows name which the new
 * connection replaces. The row of a login that connects the account again has no end.
 */
export function formerLoginsAfter(
  replaced: readonly LoginsOfRow[],
  authorizedBy: readonly string[],
): readonly ConnectionLogin[] {
  const logins = new Map(
    replaced.flatMap(allLogins).map((login) => [`${login.connectionId} ${login.platformUserId}`, login] as const),
  );
  return [...logins.values()].filter(({ platformUserId }) => !authorizedBy.includes(platformUserId));
}

/** The logins of a row, of its own connection and of earlier ones. */
export function allLogins({ connectionId, authorizedBy, formerLogins = [] }: LoginsOfRow): readonly ConnectionLogin[] {
  return [...formerLogins, ...authorizedBy.map((platformUserId) => ({ platformUserId, connectionId }))];
}
