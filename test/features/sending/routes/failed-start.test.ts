import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { MINUTE } from "#base/kernel/time.ts";
import type { ApiPorts } from "../../../../functions/api/routes.ts";
import { replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { answerOf, observePorts } from "../../../support/processes/work-left.ts";
import { liveKeyOf, testApp } from "../../../support/routes/test-app.ts";

const { testEnv, fixture } = replyFixtures();

async function reply(ports: ApiPorts) {
  const app = testApp(testEnv, ports, liveKeyOf(fixture.tenant));
  const body = JSON.stringify({ conversation_id: fixture.id, text: "hi" });
  return app.fetch(new Request("http://gateway/v1/messages/reply", { method: "POST", body }));
}

it.each(["vault.open", "platformFor", "feedShards"])(
  "a reply that fails before it starts leaves no due item being written: %s fails",
  async (failing) => {
    const write = Promise.withResolvers<void>();
    const intercepted = interceptCalls(fixture.ports(), async (name, call) => {
      if (name === failing) throw new Error("injected");
      if (name === "dueSends.put") await write.promise;
      return call();
    });
    const failingPlatform: ApiPorts["platformFor"] = async () => {
      throw new Error("injected");
    };
    const ports = observePorts(
      failing === "platformFor" ? { ...intercepted, platformFor: failingPlatform } : intercepted,
    );
    const response = answerOf(() => reply(ports));
    response.catch(() => {});
    // Enough for an answer that does not wait for the write.
    for (let i = 0; i < 50; i++) await nextTurn();
    write.resolve();
    expect(await response).toMatchObject({ status: 500 });
    // The sweep finds the item, because it was written in time.
    expect(await fixture.dueItems()).toHaveLength(1);
    testEnv.advance(2 * MINUTE);
    await fixture.sweepSends();
    expect([await fixture.dueItems(), fixture.platformCalls]).toEqual([[], []]);
  },
);
