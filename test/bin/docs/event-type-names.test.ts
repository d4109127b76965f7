import { expect, test } from "vitest";
import { eventTypes } from "#base/events/events.ts";
import { eventTypes as commandTypes } from "#cli/text/event-type-names.ts";

test("every event type of webhooks can be named in the command parley, and no other", () => {
  expect([...commandTypes].sort()).toEqual([...eventTypes].sort());
});
