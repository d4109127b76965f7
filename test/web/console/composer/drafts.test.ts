import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MemoryStorage, NOW } from "./support.ts";

type Drafts = typeof import("../../../../web/console/inbox/composer/drafts.ts");
let tabs = 0;

/** Another instance of the module, as another tab or a reloaded page has. */
async function openTab(userId = "usr_me"): Promise<Drafts> {
  tabs += 1;
  const path = `../../../../web/console/inbox/composer/drafts.ts?tab=${tabs}`;
  const drafts = (await import(/* @vite-ignore */ path)) as Drafts;
  drafts.openDrafts(userId);
  return drafts;
}

const KEY = "parley.drafts";
const stored = () => localStorage.getItem(KEY) ?? "";
const text = (words: string, startedAt = NOW) => ({ text: words, startedAt });

beforeEach(() => {
  vi.stubGlobal("localStorage", new MemoryStorage());
});
afterEach(() => vi.unstubAllGlobals());

it("a draft is there again after a reload, and one without text and hold is removed", async () => {
  const before = await openTab();
  before.setDraft("c1", text("Hello"));
  before.setDraft("c2", text(""));
  const after = await openTab();
  expect(after.draftOf("c1")).toBe("Hello");
  expect(after.fullDraftOf("c2")).toBeNull();
  after.setDraft("c1", text(""));
  expect(stored()).not.toContain("c1");
});

it("two tabs keep each other's drafts, also before one hears of the other's change", async () => {
  const [first, second] = [await openTab(), await openTab()];
  first.setDraft("c1", text("of the first"));
  second.setDraft("c2", text("of the second"));
  const reloaded = await openTab();
  expect([reloaded.draftOf("c1"), reloaded.draftOf("c2")]).toEqual(["of the first", "of the second"]);
  const heard = vi.fn();
  first.onDraftsChange(heard);
  first.syncDrafts({ key: "parley.other" });
  expect(heard).not.toHaveBeenCalled();
  first.syncDrafts({ key: KEY });
  expect(heard).toHaveBeenCalledOnce();
  expect(first.draftOf("c2")).toBe("of the second");
});

it("a sign-out in one tab removes the drafts in every tab and in the browser", async () => {
  const [first, second] = [await openTab(), await openTab()];
  first.setDraft("c1", text("Hello"));
  first.setQuote("c1", "m1", NOW);
  second.syncDrafts({ key: KEY });
  expect(second.quoteOf("c1")).toBe("m1");
  first.clearDrafts();
  expect(localStorage.getItem(KEY)).toBeNull();
  // The event of a storage that was cleared has no key.
  second.syncDrafts({ key: null });
  expect([first.draftOf("c1"), second.draftOf("c1")]).toEqual(["", ""]);
  expect([first.quoteOf("c1"), second.quoteOf("c1")]).toEqual([null, null]);
});

it("a page that is left after a sign-out stores nothing, and the next sign-in stores again", async () => {
  const drafts = await openTab();
  drafts.clearDrafts();
  drafts.setDraft("c1", text("The last letters"));
  expect(localStorage.getItem(KEY)).toBeNull();
  drafts.openDrafts("usr_me");
  drafts.setDraft("c1", text("Hello"));
  expect(stored()).toContain("Hello");
});

it("another person finds no draft, and a tab of the earlier one changes nothing of theirs", async () => {
  const mine = await openTab("usr_me");
  mine.setDraft("c1", text("of mine"));
  const theirs = await openTab("usr_other");
  expect(theirs.fullDraftOf("c1")).toBeNull();
  expect(stored()).not.toContain("of mine");
  theirs.setDraft("c1", text("of theirs"));
  mine.setDraft("c1", text("of mine"));
  expect(stored()).toContain("of theirs");
  expect(stored()).not.toContain("of mine");
  mine.syncDrafts({ key: KEY });
  expect(mine.fullDraftOf("c1")).toBeNull();
});

it("the 200 newest drafts are stored", async () => {
  const drafts = await openTab();
  for (let index = 0; index < 205; index++) drafts.setDraft(`c${index}`, text("Hello", NOW + index));
  const reloaded = await openTab();
  expect([reloaded.draftOf("c4"), reloaded.draftOf("c5"), reloaded.draftOf("c204")]).toEqual(["", "Hello", "Hello"]);
});

it("an erased conversation has no draft", async () => {
  const drafts = await openTab();
  drafts.setDraft("c1", text("Hello"));
  drafts.removeDraft("c1");
  expect(drafts.fullDraftOf("c1")).toBeNull();
  expect(stored()).not.toContain("Hello");
});

it("a send that has not ended stands beside the text that is written since, and ends without it", async () => {
  const drafts = await openTab();
  const send = { key: "k", mode: "person", body: { text: "Held" }, at: NOW, holdEndsAt: NOW + 1 } as const;
  const other = { ...send, key: "l", holdEndsAt: null };
  drafts.setDraft("c1", text("Later", NOW + 5));
  drafts.setUnfinished("c1", send);
  drafts.setUnfinished("c1", other);
  drafts.setUnfinished("c1", { ...send, holdEndsAt: NOW + 2 });
  drafts.setDraft("c1", text("Later on", NOW + 5));
  expect(drafts.fullDraftOf("c1")).toEqual({
    text: "Later on",
    startedAt: NOW + 5,
    unfinished: [other, { ...send, holdEndsAt: NOW + 2 }],
  });
  drafts.removeUnfinished("c1", "k");
  drafts.removeUnfinished("c1", "l");
  drafts.removeUnfinished("c1", "unknown");
  expect(drafts.fullDraftOf("c1")).toEqual({ text: "Later on", startedAt: NOW + 5 });
  drafts.setUnfinished("c2", send);
  expect(drafts.fullDraftOf("c2")).toEqual({ text: "", startedAt: NOW, unfinished: [send] });
  drafts.removeUnfinished("c2", "k");
  expect(drafts.fullDraftOf("c2")).toBeNull();
});

it("a draft replies to the same message after a reload, until that is taken back, sent or erased", async () => {
  const drafts = await openTab();
  drafts.setQuote("c1", "m1", NOW);
  drafts.setDraft("c1", text("To this one", NOW + 5));
  drafts.setQuote("c2", "m2", NOW);
  const reloaded = await openTab();
  expect([reloaded.quoteOf("c1"), reloaded.quoteOf("c2"), reloaded.quoteOf("c3")]).toEqual(["m1", "m2", null]);
  expect(reloaded.fullDraftOf("c1")).toEqual({ ...text("To this one", NOW + 5), replyTo: "m1" });
  reloaded.setQuote("c1", null, NOW);
  expect(reloaded.fullDraftOf("c1")).toEqual(text("To this one", NOW + 5));
  reloaded.setQuote("c2", null, NOW);
  expect(stored()).not.toContain("c2");
  reloaded.setQuote("c1", "m1", NOW);
  reloaded.removeDraft("c1");
  expect([reloaded.quoteOf("c1"), stored().includes("m1")]).toEqual([null, false]);
});

it("a send that was stored before the page began is that of an earlier page, and one of this page is not", async () => {
  const send = { key: "k", mode: "reply", body: {}, at: NOW, holdEndsAt: null } as const;
  const drafts = await openTab();
  drafts.setUnfinished("c1", send);
  expect(drafts.isOfEarlierPage(send)).toBe(false);
  expect((await openTab()).isOfEarlierPage(send)).toBe(true);
});

it("a text that comes back stands before what a field shows and has not stored yet", async () => {
  const drafts = await openTab();
  const end = drafts.beforeTextIsAdded(() => drafts.setDraft("c1", text("later", NOW + 5)));
  drafts.addText("c1", "earlier", NOW + 9);
  expect(drafts.fullDraftOf("c1")).toMatchObject({ text: "earlier\nlater", startedAt: NOW + 5 });
  end();
  drafts.addText("c2", "alone", NOW + 9);
  expect(drafts.fullDraftOf("c2")).toMatchObject({ text: "alone", startedAt: NOW + 9 });
});

it.each(["{", "null", '{"owner":1,"drafts":{}}', '{"owner":"usr_me","drafts":null}'])(
  "a storage that holds %s has no drafts, and works",
  async (value) => {
    localStorage.setItem(KEY, value);
    const drafts = await openTab();
    expect(drafts.fullDraftOf("c1")).toBeNull();
    drafts.setDraft("c1", text("Hello"));
    expect((await openTab()).draftOf("c1")).toBe("Hello");
  },
);

it("a browser without storage keeps drafts as long as the page", async () => {
  const refuse = () => {
    throw new Error("No storage.");
  };
  vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse, removeItem: refuse });
  const drafts = await openTab();
  drafts.setDraft("c1", text("Hello"));
  drafts.setDraft("c2", text("Hi"));
  expect([drafts.draftOf("c1"), drafts.draftOf("c2")]).toEqual(["Hello", "Hi"]);
  drafts.clearDrafts();
  expect(drafts.draftOf("c1")).toBe("");
});
