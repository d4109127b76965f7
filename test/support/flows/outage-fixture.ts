import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { type Breaker, CLOSED } from "#features/delivery/rules/breaker.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { type EndpointFixture, openEndpointFixture } from "./endpoint-fixture.ts";
import type { TestEnv } from "./test-env.ts";

/** One attempt that the receiver saw. */
export interface ReceivedCall {
  readonly at: Millis;
  readonly event: string;
}

/** Advances the clock to the next whole second: the receiver sees a call's time only in seconds. */
export function advanceToWholeSecond(testEnv: TestEnv): void {
  testEnv.advance(SECOND - (testEnv.now() % SECOND));
}

/** An endpoint fixture with one endpoint for messages, a receiver with scripted responses, and all calls to it. */
export type Outage = Awaited<ReturnType<typeof openOutage>>;

export async function openOutage(testEnv: TestEnv) {
  const fixture: EndpointFixture = await openEndpointFixture(testEnv);
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  let messageCount = 0;
  let callsRead = 0;

  /** Queues the events of new messages. @returns the events' ULIDs, in order */
  async function queueMessages(count: number): Promise<string[]> {
    const ulids: string[] = [];
    for (let i = 0; i < count; i++) ulids.push((await fixture.publish(`n${++messageCount}`)).eventUlid);
    return ulids;
  }

  /** The calls since the last call of this function. */
  function newCalls(): ReceivedCall[] {
    const unread = fixture.receiver.requests.slice(callsRead);
    callsRead = fixture.receiver.requests.length;
    return unread.map(({ headers }) => ({
      at: Number(headers["svc-timestamp"]) * SECOND,
      event: String(headers["svc-event-id"]).slice("evt_".length),
    }));
  }

  const breaker = async () => (await readEndpoint(endpoint)).breaker;
  async function readEndpoint(endpointRef: Pick<Endpoint, "id">): Promise<Endpoint> {
    const latest = await fixture.ports.endpoints.get(fixture.tenant, endpointRef.id);
    if (!latest) throw new Error("The endpoint does not exist.");
    return latest;
  }

  return {
    ...fixture,
    endpoint,
    write: queueMessages,
    calls: newCalls,
    breaker,
    readEndpoint: () => readEndpoint(endpoint),
    /** Stores these values of a breaker. @param rest what differs from a closed one */
    setBreaker: async (rest: Partial<Breaker>) =>
      fixture.deliverPorts.endpoints.saveBreaker(
        fixture.tenant,
        await readEndpoint(endpoint),
        { ...CLOSED, ...rest },
        testEnv.now(),
      ),
    /** Lets enough deliveries fail to open the circuit. @returns when its probe is due */
    async openCircuit(): Promise<{ ulids: string[]; openUntil: Millis }> {
      fixture.respondWith(500);
      const ulids = await queueMessages(10);
      await fixture.drainQueues();
      newCalls();
      const { openUntil } = await breaker();
      if (openUntil === null) throw new Error("The circuit is not open.");
      return { ulids, openUntil };
    },
    /** Advances the clock in steps. Each step runs a sweep and processes what came due. */
    async passTime(span: Millis, step: Millis = MINUTE): Promise<void> {
      for (const end = testEnv.now() + span; testEnv.now() < end; ) {
        await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
        testEnv.advance(Math.min(step, end - testEnv.now()));
        await fixture.drainQueues();
      }
    },
    /** Runs the next probes at their times, each after a sweep. @returns when each was due */
    async runProbes(count: number): Promise<Millis[]> {
      const dueTimes: Millis[] = [];
      for (let i = 0; i < count; i++) {
        const { openUntil } = await breaker();
        if (openUntil === null) break;
        dueTimes.push(openUntil);
        testEnv.advance(Math.max(0, openUntil - testEnv.now() - MINUTE));
        await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
        testEnv.advance(openUntil - testEnv.now());
        await fixture.drainQueues();
      }
      return dueTimes;
    },
    statuses: async () =>
      Object.fromEntries((await fixture.rows(endpoint)).map(({ eventUlid, status }) => [eventUlid, status])),
  };
}
