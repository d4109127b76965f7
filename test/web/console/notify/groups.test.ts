import { expect, it } from "vitest";
import { afterArrival, type Groups, noGroups, type Shown } from "../../../../web/console/notify/groups.ts";
import { texts as words } from "../../../../web/console/notify/texts.ts";

/** Shows the notifications of messages, each as its conversation and its time in seconds. */
function arrive(
  arrivals: readonly (readonly [string, number])[],
  content: (index: number) => object | null = () => null,
) {
  let groups: Groups = noGroups;
  const shown: Shown[] = [];
  for (const [index, [conversation, seconds]] of arrivals.entries()) {
    const arrival = { conversation, at: seconds * 1_000, content: content(index) as never };
    const next = afterArrival(groups, arrival, { tenant: "acme", words });
    groups = next.groups;
    shown.push(next.shown);
  }
  return shown;
}

it("each conversation has one notification, which counts its messages and shows no name", () => {
  const shown = arrive([
    ["a", 0],
    ["b", 1],
    ["a", 2],
  ]);
  expect(shown.map(({ tag, title, body }) => [tag, title, body])).toEqual([
    ["parley a", "Parley", "New message"],
    ["parley b", "Parley", "New message"],
    ["parley a", "Parley", "2 new messages"],
  ]);
  expect(shown.map(({ conversation }) => conversation)).toEqual(["a", "b", "a"]);
});

it("a person who wants texts reads who wrote, the newest message, and how many came", () => {
  const texts = ["Hello", "Are you there?"];
  const shown = arrive(
    [
      ["a", 0],
      ["a", 1],
    ],
    (index) => ({ name: "Anna", text: texts[index] }),
  );
  expect(shown.map(({ title, body }) => `${title}: ${body}`)).toEqual(["Anna: Hello", "Anna (2): Are you there?"]);
});

it("a conversation calls for attention again only after ten seconds", () => {
  const shown = arrive([
    ["a", 0],
    ["a", 9],
    ["b", 9],
    ["a", 10],
    ["a", 19],
  ]);
  expect(shown.map(({ renotify }) => renotify)).toEqual([true, false, true, true, false]);
});

it("from the fourth conversation on, one notification stands for all, shows no name and opens the list", () => {
  const shown = arrive(
    [
      ["a", 0],
      ["b", 0],
      ["c", 0],
      ["a", 1],
      ["d", 12],
      ["e", 13],
      ["e", 30],
    ],
    () => ({ name: "Anna", text: "A private matter" }),
  );
  const [first, second, third] = shown.slice(4);
  expect(first).toEqual({
    tag: "parley-all acme",
    title: "Parley",
    body: "5 new messages in 4 conversations",
    renotify: true,
    conversation: null,
    replaces: ["parley a", "parley b", "parley c"],
  });
  expect(second).toMatchObject({ body: "6 new messages in 5 conversations", renotify: false, replaces: [] });
  expect(third).toMatchObject({ body: "7 new messages in 5 conversations", renotify: true, replaces: [] });
});
