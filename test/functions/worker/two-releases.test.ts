import { expect, it } from "vitest";
import { LATER_TYPE } from "../../support/releases/later-release.ts";
import { runRollout } from "../../support/releases/rollout.ts";

it("110 webhooks are delivered while functions change one by one to a release with a raised message version and a new event type, and back", async () => {
  const { sent, delivered, deliveredBeforeRedrive, deadLetters, unreadableVersions, left } = await runRollout(110);
  expect(sent).toHaveLength(110);
  expect([...delivered.keys()].sort()).toEqual([...sent].sort());
  expect(left).toBe(0);
  // The release before could not read what the later one had sent last. Without the redrive it would wait for a week.
  expect(unreadableVersions).toEqual(new Set([3]));
  expect([...deadLetters.keys()].sort()).toEqual(["Events", "Inbound"]);
  expect(deliveredBeforeRedrive).toBeLessThan(sent.length);
  const types = new Set([...delivered.values()].flatMap((each) => [...each]));
  expect(types).toEqual(new Set(["message.received", LATER_TYPE]));
});
