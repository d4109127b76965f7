import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { profileWorker } from "../../../functions/profile/worker.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { conversationId } from "../../../shared/domain/inbox/conversations.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { writeProfile } from "../../../shared/queues/messages.ts";
import { conversationStore } from "../../../shared/stores/inbox/conversations.ts";
import { type House, type Lane, openHouse } from "../../shared/flows/support/house.ts";
import { depth, handOut } from "../../shared/flows/support/queue-work.ts";
import { inboundOf, webhook } from "../../shared/flows/support/webhooks.ts";
import { json, startLoopback } from "../../shared/platforms/loopback.ts";
import { INBOX, messageOf, newTenant, PERSON } from "../../shared/stores/support/samples.ts";
import { injectFaults } from "../../support/faults.ts";

let house: House;
let graph: Awaited<ReturnType<typeof startLoopback>>;
let tenant: TenantId;
let account: string;
let lane: Lane;
beforeAll(async () => {
  [house, graph] = await Promise.all([openHouse(), startLoopback()]);
});
afterAll(() => Promise.all([house.close(), graph.stop()]));
beforeEach(async () => {
  tenant = newTenant();
  [lane, account] = await Promise.all([house.newLane(), house.connect(tenant)]);
  house.lines.length = 0;
  graph.answerWith(json(200, { id: PERSON, username: "ada.lind" }));
});

const work = () =>
  handOut(house.eventSource, lane.profiles, profileWorker(house.profilePorts(graph.origin), house.now));
const ask = (...bodies: string[]) =>
  openQueue(lane.profiles, house.eventSource).sendAll(bodies.map((body) => ({ body })));

/** A conversation with a person of ours. @returns its id */
async function written(participantId: string): Promise<string> {
  const ref = { platform: "instagram", externalId: account } as const;
  const id = conversationId({ tenant, account: ref, participantId });
  const participant = { id: participantId, handle: null, username: null };
  const message = messageOf(tenant, { id: `m-${participantId}`, conversationId: id, account: ref, participant });
  await conversationStore(house.table).apply(tenant, message, INBOX);
  return id;
}

const known = async (id: string) =>
  (await conversationStore(house.table).get(tenant, id, house.now()))?.participantProfile;

describe("a batch of people", () => {
  it("is looked up, each once though asked for twice", async () => {
    const ids = await Promise.all(["1001", "1002"].map(written));
    const bodies = ids.map((id) => writeProfile({ tenant, conversationId: id }));
    await ask(...bodies, ...bodies);
    expect((await work()).failed).toEqual([]);
    expect(graph.calls.map(({ url }) => url).sort()).toEqual(
      ["1001", "1002"].map((person) => `/v26.0/${person}?fields=name,username,profile_pic`),
    );
    expect(await Promise.all(ids.map(known))).toEqual(["complete", "complete"]);
    expect(await depth(house.eventSource, lane.profiles)).toBe(0);
  });

  it("is done with what it cannot read, and with another tenant's conversation, and calls nobody for it", async () => {
    const id = await written("1003");
    const other = newTenant();
    await ask(
      "no json",
      "{}",
      '{"v":2}',
      JSON.stringify({ v: 1, t: other, c: id }),
      JSON.stringify({ v: 1, t: tenant, c: "x" }),
    );
    expect((await work()).failed).toEqual([]);
    expect(graph.calls).toEqual([]);
    expect(house.lines.filter(({ event }) => event === "record_dropped")).toHaveLength(5);
  });

  it("has one that could not be kept come again, and its mates done", async () => {
    const ids = await Promise.all(["1004", "1005"].map(written));
    await ask(...ids.map((id) => writeProfile({ tenant, conversationId: id })));
    const end = injectFaults(house.client, ({ command, input }) =>
      command === "UpdateItem" && JSON.stringify(input).includes("#1004") ? "crash" : "pass",
    );
    const { failed } = await work();
    end();
    expect(failed).toHaveLength(1);
    expect(await Promise.all(ids.map(known))).toEqual(["pending", "complete"]);
    house.turn(31_000);
    expect((await work()).failed).toEqual([]);
    expect(await Promise.all(ids.map(known))).toEqual(["complete", "complete"]);
  });
});

describe("a webhook whose people cannot be asked for", () => {
  it("is done all the same, with a line in the log", async () => {
    const raw = webhook(account, [{ mid: `${tenant}-1`, text: "secret text", at: house.now() }]);
    await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
    const broken = ingestWorker(house.ingestPorts({ ...lane, profiles: `${lane.profiles}-gone` }), house.now);
    expect((await handOut(house.eventSource, lane.inbound, broken)).failed).toEqual([]);
    expect(await depth(house.eventSource, lane.events)).toBe(1);
    expect(house.lines).toContainEqual(expect.objectContaining({ event: "profiles_not_requested", people: 1 }));
    expect(JSON.stringify(house.lines)).not.toContain(PERSON);
  });
});
