import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { receivedFrame, updatedFrame } from "./support/replies.ts";
import { conversationId, messageOf, openWorld, personOf } from "./support/small-world.ts";

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

it("frames of unknown types and malformed frames change nothing, and the stream goes on after them", async () => {
  const world = await openWorld(browser, server);
  const { page } = world;
  world.add(personOf("993", 1), [messageOf("m1", "993", { text: "Do you have it?" })]);
  await world.openThread("993");
  await page.locator("[data-message=m1]").waitFor();
  await expect.poll(() => world.isLive).toBe(true);
  await page.getByText("Live: messages appear at once").waitFor({ state: "attached" });
  const before = await page.locator("#root").innerText();
  const whole = receivedFrame("993", "m2", { text: "Never shown" });
  const types = ["conversation.updated", "message.received", "message.sent", "message.edited", "message.deleted"];
  const others = ["message.reaction", "hold.updated", "upload.updated", "weather.changed", "__proto__", ""];
  for (const type of [...types, ...others]) {
    for (const data of [undefined, null, {}, [], "x", { conversation: {}, message: {}, hold: {}, upload: {} }])
      world.push({ ...whole, id: `${type} ${JSON.stringify(data)}`, type, data });
  }
  for (const text of ["", "null", "[]", "{", '"text"', "0", '{"type":5}', '{"type":"hello"}']) world.push(text);
  world.push({ ...whole, id: "no time", created_at: "yesterday" });
  world.push(updatedFrame({ ...personOf("993", 0), participant_name: { evil: true } }));
  world.push(receivedFrame("994", "m3", { text: "Of another conversation" }));
  // The stream works: something can arrive.
  world.push(receivedFrame("993", "m4", { text: "The next message" }));
  await page.locator("[data-message=m4]").waitFor();
  const after = await page.locator("#root").innerText();
  expect(after).toContain("The next message");
  expect(after).not.toContain("Never shown");
  expect(after).not.toContain("Of another conversation");
  expect(before).toContain("Person 993");
  expect(after).toContain("Person 993");
  expect(world.complaints).toEqual([]);
});

it("late frames of an erased conversation do not bring it back, but a new message does", async () => {
  const world = await openWorld(browser, server);
  const { page } = world;
  const person = personOf("993", 1);
  world.add(person, [messageOf("m1", "993", { text: "Do you have it?" })]);
  world.add(personOf("994", 2), []);
  await world.openThread("993");
  await page.locator("[data-message=m1]").waitFor();
  await page.getByText("Live: messages appear at once").waitFor({ state: "attached" });
  await page.locator("textarea").fill("A secret answer");
  await expect.poll(() => page.evaluate("localStorage.getItem('parley.drafts')")).toContain("A secret answer");
  world.conversations.delete(person.id);
  world.push(updatedFrame({ id: conversationId("993"), erased: true }));
  await page.getByText("Person 993").first().waitFor({ state: "hidden" });
  expect(await page.evaluate("localStorage.getItem('parley.drafts')")).not.toContain("A secret answer");
  world.push(updatedFrame(person, Date.now() - 1_000));
  world.push(receivedFrame("993", "m1", { text: "Do you have it?" }));
  world.push(updatedFrame(personOf("994", 0, { participant_name: "The other one" })));
  await page.getByText("The other one").first().waitFor();
  expect(await page.getByText("Person 993").count()).toBe(0);
  expect(await page.locator("[data-message=m1]").count()).toBe(0);
  world.push(updatedFrame(personOf("993", 0), Date.now() + 5_000));
  await page.getByText("Person 993").first().waitFor();
  expect(world.complaints).toEqual([]);
});
