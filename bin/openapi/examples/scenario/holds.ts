import { sha256Hex } from "#base/kernel/bytes.ts";
import { derivePuzzles } from "#features/holds/rules/proof-of-work.ts";
import type { Conversations } from "./inbox.ts";
import { type Scenario, UNKNOWN_ULID } from "./scenario.ts";

/** The day after: messages of a person, which wait for the check. */
export async function recordHolds(scenario: Scenario, { messenger }: Conversations): Promise<void> {
  const { example, stack, live, test } = scenario;
  const path = "/v1/messages/human-agent";
  const body = { conversation_id: messenger, text: "The bowl is ready for you at the counter.", actor_id: "ann" };
  await example("sendHumanAgentMessage", null, { path, headers: live, body });
  await stack.advance("PT25H");
  await example("sendReply", null, {
    path: "/v1/messages/reply",
    headers: live,
    body: { conversation_id: messenger, text: "Hello" },
  });
  const { data } = await example("sendHumanAgentMessage", "A text", { path, headers: live, body });
  await example("getHold", "A message that waits for the check", {
    path: `/v1/messages/holds/${data.hold.id}`,
    headers: live,
  });
  await example("getHold", null, { path: `/v1/messages/holds/${UNKNOWN_ULID}`, headers: live });
  // The puzzles of a test key's message take milliseconds.
  const held = (await scenario.send({ path, headers: test, body })).data.hold;
  await recordCheck(scenario, held);
}

async function recordCheck({ example }: Scenario, hold: { id: string; verify_url: string }): Promise<void> {
  const path = `/verify/holds/${hold.id}`;
  const secret = hold.verify_url.split("#t=")[1] ?? "";
  await example("getHeldMessage", "A message that waits for the check", { path, body: { secret } });
  await example("getHeldMessage", null, { path, body: { secret: "wrong" } });
  const { data } = await example("createChallenge", "Puzzles to solve", {
    path: `${path}/challenge`,
    body: { secret },
  });
  const { challenge, token } = data;
  const solutions = derivePuzzles(token, challenge).map(({ salt, target }) => {
    for (let n = 0; ; n++) if (sha256Hex(`${salt}${n}`).startsWith(target)) return n;
  });
  await example("completeCheck", null, { path: `${path}/complete`, body: { secret, token, solutions: [1] } });
  await example("completeCheck", "The message is sent", {
    path: `${path}/complete`,
    body: { secret, token, solutions },
  });
  await example("createChallenge", null, { path: `${path}/challenge`, body: { secret } });
}
