/** The words of the list of what waits for a person. */
export const texts = {
  title: "Waiting for you",
  intro: "What does not work or may be forgotten, until somebody acts.",
  list: "What waits",
  states: {
    held: "Ends soon",
    dead: "Cannot send",
    restricted: "Restricted",
    failing: "Access ends",
    missing: "May be incomplete",
    paused: "Paused by Parley",
    open: "Circuit open",
    unused: "Unused",
    invite: "Invite",
  },
  someone: "a person",
  heldTitle: (name: string) => `Held message to ${name}`,
  heldOwn: (until: string) => `You typed it, and it is not sent until you check it. It ends at ${until}.`,
  heldOther: (until: string) => `It is not sent until the person who typed it checks it. It ends at ${until}.`,
  check: "Check it",
  openConversation: "Open",
  dead: "Its access has ended: it gets no messages and sends none.",
  restricted:
    "The platform restricts it: messages cannot be sent. Resolve this in the platform’s app, then connect it again.",
  failing: (until: string | null) =>
    `Its access could not be renewed${until === null ? "" : `, and ends at ${until}`}. Parley tries again each day.`,
  missing: (since: string) =>
    `Messages since ${since} may be missing. Parley fetches them with its next check, or when the account is connected again.`,
  askAdmin: "An admin or an owner connects it again.",
  connectAgain: "Connect again",
  openAccounts: "See the account",
  paused: "It failed for too long. Its events are stored and are not delivered until it is resumed.",
  open: (since: string | null) =>
    `It fails${since === null ? "" : ` since ${since}`}. Parley waits, and delivers again once a probe succeeds.`,
  openEndpoint: "Open the endpoint",
  unnamedKey: (prefix: string) => `${prefix}…`,
  unused: (time: string) => `API key, last used ${time}. Revoke it unless a program still needs it.`,
  neverUsed: "API key, never used for 90 days. Revoke it unless a program still needs it.",
  openKeys: "Open the keys",
  invite: (role: string, by: string | null, until: string | null) =>
    [
      by === null ? `You are invited as ${role}.` : `${by} invites you as ${role}.`,
      until === null ? "" : `Open until ${until}.`,
    ]
      .filter(Boolean)
      .join(" "),
  wellTitle: "All is well",
  wellForAgents: "Every account works, no held message is about to end, and no invite waits for your answer.",
  well: "Every account and endpoint works, no key is forgotten, no held message is about to end, and no invite waits for your answer.",
  unread: {
    accounts: "The accounts could not be checked.",
    endpoints: "The endpoints could not be checked.",
    keys: "The keys could not be checked.",
    held: "The held messages could not be checked.",
  },
} as const;
