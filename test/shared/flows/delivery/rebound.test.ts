import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { createWebhook } from "../../../../shared/flows/webhooks/create.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { createGate, type GateOptions } from "../../../../shared/net/egress-gate.ts";
import { createPoster } from "../../../../shared/net/webhook-client.ts";
import { closing } from "../../net/posting.ts";
import { type Receiver, startReceiver } from "../../net/receiver.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";
import { announce } from "../support/receivers.ts";

// An endpoint whose host had an allowed address when it was made, and whose name server then says another.

const PUBLIC = "93.184.215.14";
let house: House;
let desk: Desk;
let receiver: Receiver;
let status: number;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
  status = 200;
  // Each attempt makes a connection of its own, and each connection a look-up.
  receiver = await startReceiver((response) => response.setHeader("connection", "close").writeHead(status).end());
});

/** An endpoint behind a gate, and the worker that has the same gate; what the host's look-ups say follows `addresses`. */
async function endpointBehind(gateOptions: Pick<GateOptions, "mode" | "ports">, scheme: "http" | "https") {
  let addresses: readonly string[] = [scheme === "http" ? "127.0.0.1" : PUBLIC];
  const gate = createGate({ ...gateOptions, resolver: async () => [...addresses] });
  const request = { url: `${scheme}://hooks.example.com:${receiver.port}/in`, events: ["message.received"] as const };
  const made = await createWebhook({ ...desk.ports, gate }, desk.tenant, { ...request, ...desk.by }, house.now());
  if (isRefusal(made)) throw new Error(`The endpoint was refused: ${made.detail}`);
  const ports = house.deliverPorts(desk.lane, closing(createPoster({ gate })));
  const worker = deliverWorker(ports, house.now, async () => {});
  return {
    endpoint: made.endpoint,
    says(...next: readonly string[]): void {
      addresses = next;
    },
    /** An event, and what became of its delivery. */
    async event(id: string) {
      const { message, body } = await announce(house, desk.tenant, id);
      await openQueue(desk.lane.events, house.eventSource).send({ body });
      await handOut(house.eventSource, desk.lane.events, worker);
      return () => desk.row(made.endpoint, message.eventUlid);
    },
    retries: () => handOut(house.eventSource, desk.lane.deliveries, worker),
  };
}

const blocked = { status: "blocked", attempt: 0, lastError: "gate", lastResponseStatus: null };

describe("a host that points elsewhere since its endpoint was made", () => {
  it("is not called where that is the machine's own address, and its delivery is blocked", async () => {
    const behind = await endpointBehind({ mode: "public", ports: [receiver.port] }, "https");
    behind.says("127.0.0.1");
    expect(await (await behind.event("m1"))()).toMatchObject(blocked);
    behind.says(PUBLIC, "127.0.0.1");
    expect(await (await behind.event("m2"))()).toMatchObject(blocked);
    expect(receiver.connections()).toBe(0);
  });

  it.each(["10.0.0.7", "169.254.169.254", "fd00:ec2::254"])(
    "is not called at %s, although it was before, and again once it points back",
    async (address) => {
      const behind = await endpointBehind({ mode: "open" }, "http");
      expect(await (await behind.event("m1"))()).toMatchObject({ status: "delivered" });
      behind.says(address);
      expect(await (await behind.event("m2"))()).toMatchObject(blocked);
      behind.says("127.0.0.1");
      expect(await (await behind.event("m3"))()).toMatchObject({ status: "delivered" });
      expect(receiver.taken).toHaveLength(2);
    },
  );

  it("has what waits for a retry blocked as well", async () => {
    const behind = await endpointBehind({ mode: "open" }, "http");
    status = 503;
    const row = await behind.event("m1");
    expect(await row()).toMatchObject({ status: "retrying", lastError: "status" });
    behind.says("10.0.0.7");
    house.turn(6 * SECOND);
    expect((await behind.retries()).records).toHaveLength(1);
    expect(await row()).toMatchObject({ status: "blocked", attempt: 1, lastError: "gate" });
    expect(receiver.taken).toHaveLength(1);
  });
});
