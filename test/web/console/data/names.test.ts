import { expect, it } from "vitest";
import {
  isPlatform,
  personHandle,
  personName,
  platformLink,
  platformName,
  profileLink,
} from "../../../../web/console/data/names.ts";
import { WallClock } from "../../../../web/console/data/wall-clock.ts";
import { conversation } from "./conversations.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const named = (change: Parameters<typeof conversation>[2]) => conversation("993", { inbound: NOW }, change);

it.each([
  [{ participant_name: "Mia", participant_username: "mia.b", participant_handle: "h" }, "Mia", "mia.b"],
  [{ participant_name: "", participant_username: "mia.b", participant_handle: "h" }, "mia.b", ""],
  [{ participant_name: null, participant_username: null, participant_handle: "h" }, "h", ""],
  [{ participant_name: null, participant_username: null, participant_handle: null }, "993", ""],
])("the person of %o is called %s, beside “%s”", (change, name, handle) => {
  expect([personName(named(change)), personHandle(named(change))]).toEqual([name, handle]);
});

it("the links of the platforms name the account and the person", () => {
  const instagram = named({ account_handle: "acme", participant_username: "mia b/?#" });
  expect(platformLink(instagram)).toBe("https://ig.me/m/acme");
  expect(profileLink(instagram)).toBe("https://www.instagram.com/mia%20b%2F%3F%23");
  expect(profileLink(named({ participant_username: "mia\ud800" }))).toBe("https://www.instagram.com/mia%EF%BF%BD");
  const messenger = named({ platform: "messenger", account_handle: "acme", participant_username: "mia" });
  expect(platformLink(messenger)).toBe("https://m.me/acme");
  expect(profileLink(messenger)).toBeNull();
  expect(profileLink(named({ participant_username: null }))).toBeNull();
});

it.each(["instagram", "messenger"] as const)("%s is a platform", (platform) => {
  expect(isPlatform(platform)).toBe(true);
  expect(platformName(platform).toLowerCase()).toBe(platform);
});

it.each(["", "whatsapp", "constructor", "__proto__", null, 1])("%o is no platform", (value) => {
  expect(isPlatform(value)).toBe(false);
});

it("the clock shows the server's time however wrong the machine's is, and goes on with it", () => {
  let machine = NOW + 5 * 3_600_000;
  const clock = new WallClock(() => machine);
  expect(clock.now()).toBe(machine);
  clock.set(NOW);
  machine += 1_000;
  expect(clock.now()).toBe(NOW + 1_000);
  clock.set(Number.NaN);
  expect(clock.now()).toBe(NOW + 1_000);
});
