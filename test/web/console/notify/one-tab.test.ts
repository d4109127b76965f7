import { expect, it } from "vitest";
import { OneTab } from "../../../../web/console/notify/one-tab.ts";

// Node.js has the locks of browsers, with the same rules for all of one process.

const locks = navigator.locks;
let names = 0;
const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 50));

/** Tabs that compete, and the indexes of those that lost their turn. */
function openTabs(count: number) {
  const name = `person ${names++}`;
  const lost: number[] = [];
  const tabs = Array.from({ length: count }, (_, index) => new OneTab(name, locks, () => lost.push(index)));
  const leading = async () => {
    await turn();
    return tabs.flatMap(({ isLeading }, index) => (isLeading ? [index] : []));
  };
  return { tabs, lost, leading };
}

it("one of several tabs gives the signs, and the next one does when it is closed", async () => {
  const { tabs, lost, leading } = openTabs(3);
  expect(await leading()).toEqual([0]);
  tabs[0]?.close();
  expect(await leading()).toEqual([1]);
  tabs[1]?.close();
  expect(await leading()).toEqual([2]);
  tabs[2]?.close();
  expect(await leading()).toEqual([]);
  expect(lost).toEqual([]);
});

it("the tab that is looked at takes the turn, and the one before it gets it back at its end", async () => {
  const { tabs, lost, leading } = openTabs(2);
  expect(await leading()).toEqual([0]);
  tabs[1]?.look();
  expect(await leading()).toEqual([1]);
  expect(lost).toEqual([0]);
  tabs[0]?.look();
  expect(await leading()).toEqual([0]);
  expect(lost).toEqual([0, 1]);
  tabs[1]?.lookAway();
  tabs[1]?.look();
  expect(await leading()).toEqual([1]);
  tabs[1]?.close();
  expect(await leading()).toEqual([0]);
  tabs[0]?.close();
});

it("a tab that is looked at while it waits for its turn has it from then on", async () => {
  const { tabs, leading } = openTabs(2);
  tabs[0]?.look();
  await turn();
  expect(await leading()).toEqual([0]);
  tabs[1]?.look();
  expect(await leading()).toEqual([1]);
  for (const tab of tabs) tab.close();
});

it("a tab knows whether any of them is looked at, and of none of another person", async () => {
  const { tabs } = openTabs(2);
  const other = openTabs(1);
  other.tabs[0]?.look();
  await turn();
  expect(await tabs[0]?.isLookedAt()).toBe(false);
  tabs[1]?.look();
  await turn();
  expect(await tabs[0]?.isLookedAt()).toBe(true);
  tabs[1]?.lookAway();
  await turn();
  expect(await tabs[0]?.isLookedAt()).toBe(false);
  for (const tab of [...tabs, ...other.tabs]) tab.close();
});

it("each tab gives the signs in a browser without locks, and looks for itself", async () => {
  const tab = new OneTab("person", null, () => {});
  expect(tab.isLeading).toBe(true);
  tab.look();
  expect(await tab.isLookedAt()).toBe(true);
  tab.lookAway();
  expect(await tab.isLookedAt()).toBe(false);
  tab.close();
  expect(tab.isLeading).toBe(false);
});

it("a browser that refuses its locks is asked once, and gives no signs twice", async () => {
  let requests = 0;
  const refusing = {
    request: () => {
      requests += 1;
      return Promise.reject(new Error("Refused."));
    },
    query: async () => ({ held: [] }),
  } as never;
  const tab = new OneTab("person", refusing, () => {});
  await turn();
  expect(requests).toBe(1);
  expect(tab.isLeading).toBe(false);
  tab.close();
});
