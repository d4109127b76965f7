import { expect, it } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { eventually, expectAccessible, openAdmin } from "../support/admin-page.ts";
import { ACCOUNT, conversationId, messageOf, personOf, type SmallWorld } from "../support/small-world.ts";

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);
const THREAD = `/app/acme/inbox/instagram/${ACCOUNT}/993`;

/** Two people who wrote, and a team of two. */
function fill({ office }: SmallWorld, world?: SmallWorld): void {
  office.addMember("usr_me", "Mia", "owner");
  office.addMember("usr_ben", "\u202eBen <b>Hale</b>", "agent");
  for (const id of ["993", "994"]) world?.add(personOf(id, 1), [messageOf(`${id}-1`, id)]);
}
const fillAll = (world: SmallWorld) => fill(world, world);

let frames = 0;
/** A frame of a colleague, reported some milliseconds ago. */
function presence(state: string, { person = "993", user_id = "usr_ben", agoMs = 0, id = `evt_p${frames++}` } = {}) {
  return {
    id,
    type: "presence.updated",
    tenant_id: "acme",
    created_at: new Date(Date.now() - agoMs).toISOString(),
    data: { conversation_id: conversationId(person), user_id, state },
  };
}

/** What the page reported, without repetitions of the same state. */
function reports({ sentFrames }: SmallWorld): string[] {
  const sent = sentFrames.map((text) => JSON.parse(text)).filter(({ type }) => type === "presence");
  const all = sent.map(({ conversation_id, state }) => `${conversation_id.split("#").at(-1)} ${state}`);
  return all.filter((each, index) => each !== all[index - 1]);
}

const HIDDEN = `{
  let isHidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
  window.hide = (next) => { isHidden = next; document.dispatchEvent(new Event("visibilitychange")); };
}`;

it("the page reports that the person reads, writes, sends, hides the page and leaves", async () => {
  const world = await openAdmin([browser, server], fillAll);
  const { page } = world;
  await page.addInitScript(HIDDEN);
  await world.open(THREAD);
  await eventually(() => reports(world)).toEqual(["993 reading"]);
  await page.locator("textarea").pressSequentially("Yes, it is.");
  await eventually(() => reports(world)).toEqual(["993 reading", "993 writing"]);
  await page.keyboard.press("Control+Enter");
  await eventually(() => reports(world).slice(2)).toEqual(["993 reading"]);
  await page.evaluate("hide(true)");
  await eventually(() => reports(world).slice(3)).toEqual(["993 left"]);
  await page.evaluate("hide(false)");
  await eventually(() => reports(world).slice(4)).toEqual(["993 reading"]);
  await page.locator(".row", { hasText: "Person 994" }).click();
  await eventually(() => reports(world).slice(5)).toEqual(["993 left", "994 reading"]);
  await page.getByRole("navigation").getByRole("link", { name: "Team" }).click();
  await eventually(() => reports(world).slice(7)).toEqual(["994 left"]);
  expect(world.complaints).toEqual([]);
});

it("a person who works alone, or opens a conversation that does not exist, reports nothing", async () => {
  const alone = await openAdmin([browser, server], (world) => {
    fillAll(world);
    world.office.members.splice(1);
  });
  await alone.open(THREAD);
  await alone.page.locator("textarea").pressSequentially("Yes");
  const missing = await openAdmin([browser, server], fillAll);
  await missing.open(THREAD.replace("993", "999"));
  await missing.page.getByRole("heading", { name: "This conversation does not exist" }).waitFor();
  await missing.page.waitForTimeout(1_000);
  expect([...reports(alone), ...reports(missing)]).toEqual([]);
});

it("a colleague who reads and writes is shown in the head and in the row, until they leave or are silent", async () => {
  const world = await openAdmin([browser, server], fillAll);
  const { page } = world;
  await world.open(THREAD);
  const head = page.locator(".thread-head .peers .words");
  const row = page.locator(".row", { hasText: "Person 993" });
  await eventually(() => reports(world)).toEqual(["993 reading"]);
  world.push(presence("reading"));
  await head.waitFor();
  expect((await head.innerText()).replace(/[\u2068\u2069]/g, "")).toBe("Ben <b>Hale</b> is reading");
  await row.getByRole("img", { name: /is reading$/ }).waitFor();
  world.push(presence("writing"));
  await row.locator(".typing").waitFor();
  expect(await head.innerText()).toMatch(/is writing$/);
  world.push(presence("left"));
  await head.waitFor({ state: "detached" });
  await row.locator(".typing").waitFor({ state: "detached" });
  // Reported ten seconds ago: two seconds are left.
  world.push(presence("writing", { agoMs: 10_000 }));
  await head.waitFor({ state: "detached" });
  world.push(presence("writing", { person: "994", agoMs: 9_000 }));
  const other = page.locator(".row", { hasText: "Person 994" }).locator(".typing");
  await other.waitFor();
  await other.waitFor({ state: "detached" });
  expect(world.complaints).toEqual([]);
});

it("frames that are late, doubled, unordered, unknown, malformed or one's own show nothing wrong", async () => {
  const world = await openAdmin([browser, server], fillAll);
  const { page } = world;
  await world.open(THREAD);
  await eventually(() => reports(world)).toEqual(["993 reading"]);
  const left = presence("left", { agoMs: 100 });
  const early = presence("writing", { agoMs: 5_000 });
  for (const frame of [left, early, left, early]) world.push(frame);
  world.push(presence("writing", { agoMs: 13_000 }));
  world.push(presence("asleep"));
  world.push(presence("writing", { user_id: "usr_me" }));
  world.push(presence("writing", { person: "998" }));
  world.push({ ...presence("writing"), tenant_id: "other" });
  world.push({ ...presence("writing"), created_at: "yesterday" });
  for (const data of [null, {}, [], { conversation_id: 1, user_id: {}, state: [] }])
    world.push({ ...presence("writing"), data });
  world.push(presence("reading", { user_id: "usr_new" }));
  await page.locator(".peers .words", { hasText: "A colleague is reading" }).waitFor();
  expect(await page.getByText(/is writing/).count()).toBe(0);
  // Who is not in the team yet is looked up once.
  world.push(presence("writing", { user_id: "usr_new" }));
  await page.locator(".peers .words", { hasText: "A colleague is writing" }).waitFor();
  expect(world.calls.filter((call) => call === "GET /console/team")).toHaveLength(2);
  expect(world.complaints).toEqual([]);
});

it("a page with colleagues has no violation that axe finds, and fits a phone", async () => {
  const shows = (state: string) => async (world: SmallWorld) => {
    await eventually(() => reports(world).length).toBeGreaterThan(0);
    world.push(presence(state));
  };
  let current: SmallWorld | undefined;
  const prepare = (world: SmallWorld) => {
    current = world;
    fillAll(world);
  };
  await expectAccessible(
    [browser, server],
    prepare,
    ["reading", "writing"].map((state) => ({
      path: THREAD,
      steps: () => shows(state)(current as SmallWorld),
      shown: ".thread-head .words >> visible=true",
    })),
  );
});
