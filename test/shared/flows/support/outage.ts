import { openQueue } from "../../../../shared/aws/queues.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { MINUTE, type Millis, SECOND } from "../../../../shared/kernel/time.ts";
import { type Desk, openDesk } from "./desk.ts";
import type { House } from "./house.ts";
import { announce } from "./receivers.ts";

/** One attempt that the receiver saw. */
export interface Call {
  readonly at: Millis;
  readonly event: string;
}

/** Turns the clock to the next whole second: the receiver sees a call's time in seconds alone. */
export function toWholeSecond(house: House): void {
  house.turn(SECOND - (house.now() % SECOND));
}

/** A desk with one endpoint for messages, whose receiver answers as it is told, and everything it was called with. */
export type Outage = Awaited<ReturnType<typeof openOutage>>;

export async function openOutage(house: House) {
  const desk: Desk = await openDesk(house);
  const { endpoint } = await desk.endpointWith({ events: ["message.received"] });
  let named = 0;
  let seen = 0;

  /** New messages whose events wait on the queue; their events' ULIDs, in order. */
  async function write(count: number): Promise<string[]> {
    const ulids: string[] = [];
    for (let i = 0; i < count; i++) {
      const { message, body } = await announce(house, desk.tenant, `n${++named}`);
      await openQueue(desk.lane.events, house.eventSource).send({ body });
      ulids.push(message.eventUlid);
    }
    return ulids;
  }

  /** The calls since the last time this was asked. */
  function calls(): Call[] {
    const fresh = desk.receiver.taken.slice(seen);
    seen = desk.receiver.taken.length;
    return fresh.map(({ headers }) => ({
      at: Number(headers["svc-timestamp"]) * SECOND,
      event: String(headers["svc-event-id"]).slice("evt_".length),
    }));
  }

  const breaker = async () => (await read(endpoint)).breaker;
  async function read(of: Pick<Endpoint, "id">): Promise<Endpoint> {
    const found = await desk.ports.endpoints.get(desk.tenant, of.id);
    if (!found) throw new Error("The endpoint is not there.");
    return found;
  }

  return {
    ...desk,
    endpoint,
    write,
    calls,
    breaker,
    read: () => read(endpoint),
    /** Lets so many deliveries fail that the endpoint is left alone. @returns when its probe is due */
    async open(): Promise<{ ulids: string[]; openUntil: Millis }> {
      desk.answer(500);
      const ulids = await write(10);
      await desk.work();
      calls();
      const { openUntil } = await breaker();
      if (openUntil === null) throw new Error("The endpoint is not left alone.");
      return { ulids, openUntil };
    },
    /** Lets time pass in steps, each with a sweep and with what came due worked on. */
    async pass(span: Millis, step: Millis = MINUTE): Promise<void> {
      for (const end = house.now() + span; house.now() < end; ) {
        await sweepDue(house.sweepPorts(desk.lane), house.now());
        house.turn(Math.min(step, end - house.now()));
        await desk.work();
      }
    },
    /** Lets the next probes come to their time, each swept for before it. @returns when each was due */
    async probes(count: number): Promise<Millis[]> {
      const due: Millis[] = [];
      for (let i = 0; i < count; i++) {
        const { openUntil } = await breaker();
        if (openUntil === null) break;
        due.push(openUntil);
        house.turn(Math.max(0, openUntil - house.now() - MINUTE));
        await sweepDue(house.sweepPorts(desk.lane), house.now());
        house.turn(openUntil - house.now());
        await desk.work();
      }
      return due;
    },
    statuses: async () =>
      Object.fromEntries((await desk.rows(endpoint)).map(({ eventUlid, status }) => [eventUlid, status])),
  };
}
