/** The groups of operations in the order of documentation, and what each is about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Conversations: "A conversation is one person on one connected account. It expires 7 days after its last message.",
  Messages: "Read and send messages, within the 24-hour window or as a named person until the seventh day.",
  Attachments: "Upload a file, which the platform then gets, and attach it to a message.",
  Accounts: "The accounts of the platforms that a tenant connected.",
  Webhooks: "Endpoints that receive signed events, their deliveries, and replays.",
  Realtime: "Tickets and frames of the WebSocket that sends each event within a second.",
  "API keys": "The keys with which programs call the API.",
  "Audit and stats": "Who changed what, and counts of messages and deliveries.",
  Service: "Whether the service is up, and the redirects to the website.",
  "Sign-in": "Links by mail, the session of a signed-in person, and the pages of a sign-in.",
  Team: "The members of a tenant and their invites.",
  Tenants: "The tenants of a signed-in person.",
  Console: "The page in which people answer, on the origin of the API.",
  "Connecting accounts": "The platforms' logins, and the page that connects accounts on the host of the API.",
  "Check page": "The page on which a person checks a held message, and the requests that it makes.",
  "Platform intake": "What the platforms call: webhooks of messages.",
  "Platform callbacks": "What the platforms call about a person's login, and the status of a data deletion.",
  Documentation: "This document, as the deployment serves it.",
  Events: "The requests that an endpoint receives.",
};

/** The tags of a document. Throws when a tag of an operation has no description. */
export function describeTags(names: readonly string[]): { readonly name: string; readonly description: string }[] {
  const missing = names.filter((name) => !(name in tagDescriptions));
  if (missing.length > 0) throw new Error(`bin/openapi/tags.ts has no description of ${missing.join(", ")}.`);
  return Object.entries(tagDescriptions)
    .filter(([name]) => names.includes(name))
    .map(([name, description]) => ({ name, description }));
}
