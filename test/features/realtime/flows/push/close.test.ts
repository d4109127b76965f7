import { expect, it } from "vitest";
import { MINUTE } from "#base/kernel/time.ts";
import { invokeWorker } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openPushFixture } from "./support/push-fixture.ts";

const testEnv = openedOnce(openTestEnv);

it.each(["close", "recheck"] as const)(
  "a message (%s) for a connection in its handshake, whose row went with its tenant, comes again until it stands",
  async (kind) => {
    const fixture = await openPushFixture(testEnv);
    const closed: string[] = [];
    let isStanding = false;
    const connections = {
      ...fixture.ports.connections,
      close: async (connectionId: string) => {
        if (!isStanding) return "gone" as const;
        closed.push(connectionId);
        return "closed" as const;
      },
    };
    const sockets = { ...fixture.stores.sockets, isTenantDeleted: async () => true };
    const worker = fixture.worker({ connections, sockets });
    const run = () => invokeWorker(testEnv.eventSource, fixture.queues.realtime, worker);
    await fixture.send({ kind, connectionIds: ["in-handshake"] });
    await run();
    expect(closed).toEqual([]);
    isStanding = true;
    testEnv.advance(MINUTE);
    await run();
    expect(closed).toEqual(["in-handshake"]);
    testEnv.advance(10 * MINUTE);
    expect((await run()).records).toEqual([]);
  },
);
