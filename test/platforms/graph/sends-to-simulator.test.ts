import { describe, expect, test } from "vitest";
import { platformHttp } from "#platforms/graph/http.ts";
import type { Send, SendOutcome } from "#platforms/graph/platform.ts";
import { platformFor } from "#platforms/platforms.ts";
import { type FaultMode, faultModes } from "../../../packages/simulator/src/world/faults.ts";
import {
  type Fields,
  simulatorUpstream,
  startTestSimulator,
  startWebhookReceiver,
  testAccounts,
} from "../../packages/simulator/simulator-fixture.ts";
import { textSend } from "./fake-platform.ts";

// The connectors against the simulator, which share no code.

const day = 24 * 3_600_000;
type Name = keyof typeof testAccounts;
const names = ["login", "viaPage", "messenger"] as const;

async function connectSimulator(name: Name = "messenger", total = 10_000) {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const { person } = await simulator.personSends(name);
  const { connection, token, externalId, pageId } = testAccounts[name];
  const platform = platformFor(connection, simulatorUpstream(simulator), platformHttp({ total }));
  const account = { platform: name === "messenger" ? "messenger" : "instagram", externalId, pageId } as const;
  return {
    simulator,
    send: (changes: Partial<Send> = {}): Promise<SendOutcome> =>
      platform.send(account, token, {
        ...textSend,
        recipientId: person as string,
        ...changes,
      }),
    sent: async (): Promise<Fields[]> => (await simulator.get("/_sim/sent")).body.sent,
  };
}

const acceptedOutcome = { kind: "accepted" };
const unknownOutcome = { kind: "unknown", detail: "outcome_unknown" };
const refusedOutcome = (errorClass: string, follows: object = {}) => ({
  kind: "refused",
  class: errorClass,
  ...follows,
});
const tokenRefused = refusedOutcome("token", { accountStatus: "needs_reauth" });
const permissionRefused = refusedOutcome("permission", { accountStatus: "needs_reauth" });

/** The outcome of a send for each fault, and how many messages the platform then has. */
const outcomes: Record<FaultMode, readonly [outcome: object, sent: number]> = {
  none: [acceptedOutcome, 1],
  echo_first: [acceptedOutcome, 1],
  no_echo: [acceptedOutcome, 1],
  hang: [unknownOutcome, 0],
  hang_after_accept: [unknownOutcome, 1],
  reset_before_accept: [unknownOutcome, 0],
  reset_after_accept: [unknownOutcome, 1],
  malformed_json: [unknownOutcome, 1],
  huge_body: [unknownOutcome, 1],
  bom: [unknownOutcome, 1],
  html: [unknownOutcome, 1],
  error_in_200: [unknownOutcome, 1],
  "5xx": [unknownOutcome, 0],
  transient: [unknownOutcome, 0],
  token_revoked: [tokenRefused, 0],
  expired: [tokenRefused, 0],
  app_removed: [tokenRefused, 0],
  checkpoint: [tokenRefused, 0],
  unconfirmed: [tokenRefused, 0],
  token_invalid: [tokenRefused, 0],
  permission: [permissionRefused, 0],
  link_broken: [permissionRefused, 0],
  rate_limited: [refusedOutcome("rate", { coolDownMs: 60_000, accountStatus: null }), 0],
  restricted: [refusedOutcome("restricted", { accountStatus: "restricted" }), 0],
  outside_window: [refusedOutcome("window", { accountStatus: null }), 0],
  person_unavailable: [refusedOutcome("recipient", { accountStatus: null }), 0],
  unknown_person: [refusedOutcome("recipient"), 0],
  thread_owner: [refusedOutcome("thread_owner"), 0],
  tag_abuse: [refusedOutcome("other", { humanAgentPauseMs: day, coolDownMs: null }), 0],
  no_human_agent: [acceptedOutcome, 1],
  media_share_only: [acceptedOutcome, 1],
  fetch_failed: [refusedOutcome("invalid", { transient: true }), 0],
  error: [unknownOutcome, 0],
};

describe("each fault is interpreted correctly, and nothing is sent twice", () => {
  test.each(faultModes.flatMap((mode) => names.map((name) => [mode, name] as const)))(
    "%s on %s",
    async (mode, name) => {
      const { simulator, send, sent } = await connectSimulator(name, mode.startsWith("hang") ? 600 : 10_000);
      await simulator.sim("/faults", { mode, ...(mode === "error" ? { code: 1200 } : {}), for: 1 });
      const [outcome, count] = outcomes[mode];
      expect(await send()).toMatchObject(outcome);
      expect(await sent()).toHaveLength(count);
    },
  );

  test("a rate limit pauses the account for the given minutes", async () => {
    const { simulator, send } = await connectSimulator();
    await simulator.sim("/faults", { mode: "rate_limited", minutes: 17 });
    expect(await send()).toMatchObject({ coolDownMs: 17 * 60_000 });
  });

  test("a missing permission for the tag does not affect the account's status", async () => {
    const { simulator, send } = await connectSimulator();
    await simulator.sim("/faults", { mode: "no_human_agent" });
    expect(await send({ humanAgent: true })).toMatchObject({ humanAgentRefused: true, accountStatus: null });
    expect(await send()).toMatchObject(acceptedOutcome);
  });
});

describe.each(names)("on %s", (name) => {
  test("a human-agent message is accepted until 7 days after the last inbound message, any other until 24 hours", async () => {
    const { simulator, send } = await connectSimulator(name);
    await simulator.sim("/clock", { offset_ms: day + 60_000 });
    expect(await send()).toMatchObject(refusedOutcome("window"));
    expect(await send({ humanAgent: true })).toMatchObject(acceptedOutcome);
    await simulator.sim("/clock", { offset_ms: 7 * day + 60_000 });
    expect(await send({ humanAgent: true })).toMatchObject(refusedOutcome("window", { humanAgentRefused: false }));
  });

  test("one file of each type is accepted, and ten images", async () => {
    const { send, sent } = await connectSimulator(name);
    const url = "https://files.example/a";
    for (const type of ["image", "video", "audio", "file"] as const) {
      expect(await send({ content: { kind: "attachments", attachments: [{ type, url }] } })).toMatchObject(
        acceptedOutcome,
      );
    }
    const attachments = Array.from({ length: 10 }, () => ({ type: "image", url }) as const);
    expect(await send({ content: { kind: "attachments", attachments } })).toMatchObject(acceptedOutcome);
    expect(await sent()).toHaveLength(5);
  });

  test("an unknown upload is refused as invalid", async () => {
    const { send, sent } = await connectSimulator(name);
    const content = {
      kind: "attachments",
      attachments: [{ type: "image", attachmentId: "1857777774821032" }],
    } as const;
    expect(await send({ content })).toMatchObject(refusedOutcome("invalid", { code: 100, subcode: 2018074 }));
    expect(await sent()).toEqual([]);
  });
});

test("where Instagram accepts a page's uploads only as MEDIA_SHARE, one is sent once", async () => {
  const { simulator, send, sent } = await connectSimulator("viaPage");
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), Buffer.alloc(8)]);
  const form = new FormData();
  form.set("platform", "instagram");
  form.set("message", JSON.stringify({ attachment: { type: "image", payload: { is_reusable: true } } }));
  form.set("filedata", new Blob([png], { type: "image/png" }), "a.png");
  const { attachment_id: attachmentId } = (await (
    await fetch(`${simulator.url}/facebook_graph/v26.0/me/message_attachments`, {
      method: "POST",
      headers: { Authorization: `Bearer ${testAccounts.viaPage.token}` },
      body: form,
    })
  ).json()) as Fields;
  await simulator.sim("/faults", { mode: "media_share_only" });
  const content = { kind: "attachments", attachments: [{ type: "image", attachmentId }] } as const;
  expect(await send({ content })).toMatchObject(acceptedOutcome);
  expect((await sent()).map(({ request }) => request.message.attachment.type)).toEqual(["MEDIA_SHARE"]);
});
