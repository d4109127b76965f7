import { type Scenario, seededAccount } from "./scenario.ts";

export interface Conversations {
  /** Of a person who wrote to a Messenger account. */
  readonly messenger: string;
  readonly instagram: string;
}

/** Two people write, and their conversations are read. */
export async function recordInbox(scenario: Scenario): Promise<Conversations> {
  const { example, send, stack, live } = scenario;
  const write = async (connection: string, person: string, text: string): Promise<string> => {
    const { key, id: account } = seededAccount(scenario, connection);
    const { person: id } = await stack.simulate<{ person: string }>("/person-sends", {
      account,
      connection,
      person,
      text,
    });
    const conversation = `CONV#${stack.info.tenant}#${key}#${id}`;
    await stack.until("the conversation and its profile", async () => {
      const { data } = await send({ path: `/v1/conversations/${encodeURIComponent(conversation)}`, headers: live });
      return data?.conversation.participant_profile === "complete";
    });
    return conversation;
  };
  const messenger = await write("messenger", "Mara Lindqvist", "Do you have the blue bowl in stock?");
  const instagram = await write("instagram_login", "ada.petrov", "Is the workshop on Saturday?");

  await example("listAccounts", "The connected accounts", { path: "/v1/accounts", headers: live });
  await example("listAccounts", null, { path: "/v1/accounts" });
  await example("listConversations", "The newest two conversations", {
    path: "/v1/conversations?limit=2",
    headers: live,
  });
  await example("listConversations", null, { path: "/v1/conversations?platform=fax", headers: live });
  const one = `/v1/conversations/${encodeURIComponent(messenger)}`;
  await example("getConversation", "A conversation with its messages", { path: one, headers: live });
  await example("getConversation", null, { path: "/v1/conversations/unknown", headers: live });
  const done = { method: "PATCH", path: one, headers: live };
  await example("updateConversation", "A conversation that needs no reply", { ...done, body: { done: true } });
  await example("updateConversation", null, { ...done, body: { done: "yes" } });
  const messages = `/v1/messages?conversation_id=${encodeURIComponent(messenger)}`;
  const { data } = await example("listMessages", "The messages of a conversation", { path: messages, headers: live });
  await example("listMessages", null, { path: "/v1/messages?conversation_id=unknown", headers: live });
  const id = encodeURIComponent(data.messages[0].id);
  await example("getMessage", "An inbound message", { path: `/v1/messages/${id}`, headers: live });
  await example("getMessage", null, { path: "/v1/messages/unknown", headers: live });
  return { messenger, instagram };
}
