import type { Account, Person, ThreadMessage } from "../world/model.ts";
import { call } from "./api.ts";
import { openConnection } from "./connection-dialog.ts";
import { connectionNames } from "./connection-names.ts";
import { button, byId, element, replaceChildren } from "./dom.ts";
import { icon } from "./icons.ts";
import { attachMenu, type MenuEntry } from "./menu.ts";
import { notify, notifyProblem, outcomeText } from "./notices.ts";
import { act, currentScene, isThreadOf, now, refresh, type Scene, showPerson, showScreen } from "./store.ts";
import { formatRecent } from "./times.ts";

/** The newest message that was shown of each thread. */
const seenMids = new Map<string, string>();

/** A circle with the initials, in one of eight colors. */
export function avatar(name: string, key: string, className = ""): HTMLElement {
  const initials = name
    .split(/\s+/)
    .map((word) => [...word][0] ?? "")
    .slice(0, 2)
    .join("");
  const sum = [...key].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return element(
    "span",
    { class: `avatar hue-${sum % 8} ${className}`, "aria-hidden": "true" },
    initials.toUpperCase(),
  );
}

export function drawPeople(scene: Scene): void {
  const { state, person } = scene;
  const rows = state.people.map((one) => {
    const thread = state.threads.find((candidate) => isThreadOf(candidate, one));
    const last = thread?.messages.at(-1);
    const key = `${one.account}/${one.id}`;
    if (one === person && last !== undefined) seenMids.set(key, last.mid);
    if (!seenMids.has(key)) seenMids.set(key, last?.mid ?? "");
    const unread = last?.from === "account" && seenMids.get(key) !== last.mid;
    return { one, last, unread };
  });
  const shape = [
    state.accounts,
    state.subscriptions,
    rows.map(({ one, last, unread }) => [one, last && [preview(last, one), last.at], unread]),
    person?.id,
    person?.account,
    new Date(now()).getDate(),
  ];
  replaceChildren(byId("people"), shape, () =>
    newestFirst(state.accounts, (account) => newestAt(rows.filter(({ one }) => one.account === account.key))).map(
      (account) =>
        element(
          "section",
          { class: "account", "aria-labelledby": `account-${account.key} platform-${account.key}` },
          accountHead(account, scene),
          element(
            "ul",
            { class: "rows" },
            ...newestFirst(
              rows.filter(({ one }) => one.account === account.key),
              (row) => newestAt([row]),
            ).map(({ one, last, unread }) => personRow({ person: one, last, unread, isCurrent: one === person })),
          ),
        ),
    ),
  );
}

/** Sorts by a time, the newest first. Those of the same time keep their order. */
function newestFirst<Item>(items: readonly Item[], timeOf: (item: Item) => number): Item[] {
  return items.toSorted((a, b) => timeOf(b) - timeOf(a));
}

/** The time of the newest message; 0 without messages. */
function newestAt(rows: readonly { last: ThreadMessage | undefined }[]): number {
  return Math.max(0, ...rows.map(({ last }) => last?.at ?? 0));
}

function accountHead(account: Account, { state }: Scene): HTMLElement {
  const node = account.pageId ?? account.externalId;
  const subscribed = state.subscriptions[node] !== undefined;
  const isEnded = state.ended[node] !== undefined;
  const menu = button(
    {
      class: "round",
      "data-key": `menu ${account.key}`,
      "aria-label": `Actions of ${account.displayName}, ${connectionNames[account.connection]}`,
    },
    null,
    icon("more"),
  );
  attachMenu(menu, { label: `Actions of ${account.displayName}`, entries: () => accountEntries(account) });
  return element(
    "div",
    { class: `account-head ${account.connection === "messenger" ? "messenger" : "instagram"}` },
    element("span", { class: "platform-mark", "aria-hidden": "true" }),
    element(
      "div",
      { class: "words" },
      element("h2", { id: `account-${account.key}` }, account.displayName),
      element(
        "p",
        { id: `platform-${account.key}`, class: "soft" },
        `${connectionNames[account.connection]} · ${subscribed || isEnded ? `@${account.handle}` : "not connected"}`,
      ),
    ),
    isEnded ? element("span", { class: "pill warn" }, "Off") : null,
    menu,
  );
}

function accountEntries(account: Account): MenuEntry[] {
  const owner = { account: account.externalId, connection: account.connection };
  const policy = (action: string, label: string): MenuEntry => ({
    label,
    run: () =>
      void act("/policy", { ...owner, action }).then((answer) => notify(outcomeText(label, answer)), notifyProblem),
  });
  return [
    { label: "Add a person…", run: () => openPersonDialog(account) },
    ...(account.connection === "instagram_login"
      ? []
      : ([
          "divider",
          { heading: "Policy events of the platform" },
          policy("warning", "Policy warning"),
          policy("block", "Block the account"),
          policy("unblock", "Unblock the account"),
        ] satisfies MenuEntry[])),
    "divider",
    { label: "Subscription, token and limits…", run: () => openConnection(account) },
  ];
}

interface RowContent {
  person: Person;
  last: ThreadMessage | undefined;
  unread: boolean;
  isCurrent: boolean;
}

function personRow({ person, last, unread, isCurrent }: RowContent): HTMLElement {
  const marks = [person.blocked && "Blocked", person.standby && "Standby", person.role === false && "No role"];
  const choose = (): void => {
    showPerson(person);
    showScreen("thread");
    byId("text").focus();
  };
  const row = button(
    {
      class: unread ? "contact unread" : "contact",
      "data-key": `${person.account}/${person.id}`,
      "aria-current": isCurrent ? "true" : null,
    },
    choose,
    avatar(person.name, person.id),
    element(
      "span",
      { class: "words" },
      element("span", { class: "name" }, person.name),
      element("span", { class: "preview" }, last ? preview(last, person) : "No messages yet"),
    ),
    element(
      "span",
      { class: "side" },
      last ? element("span", { class: "when" }, formatRecent(last.at, now())) : null,
      ...marks.filter((mark) => typeof mark === "string").map((mark) => element("span", { class: "pill" }, mark)),
      unread ? element("span", { class: "dot" }, element("span", { class: "unseen" }, "New message")) : null,
    ),
  );
  return element("li", {}, row);
}

/** The newest message in a few words. */
export function preview(message: ThreadMessage, person: Person): string {
  const author = message.from === "person" ? (person.name.split(" ")[0] ?? "") : "Business";
  const content = message.deleted ? "unsent a message" : (message.text ?? message.note ?? "sent an attachment");
  return `${author}: ${content}`;
}

function openPersonDialog(account: Account): void {
  const dialog = byId("person-dialog") as HTMLDialogElement;
  dialog.dataset.account = account.key;
  dialog.showModal();
}

/** Connects the dialog that adds a person. */
export function connectPersonDialog(): void {
  const dialog = byId("person-dialog") as HTMLDialogElement;
  const name = byId("name") as HTMLInputElement;
  byId("person-cancel").addEventListener("click", () => dialog.close());
  byId("person-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const account = currentScene()?.state.accounts.find(({ key }) => key === dialog.dataset.account);
    if (account === undefined || name.value.trim() === "") return;
    const owner = { account: account.externalId, connection: account.connection };
    call<Person>("/people", { ...owner, name: name.value.trim() }).then(async (person) => {
      name.value = "";
      dialog.close();
      await refresh();
      showPerson(person);
      showScreen("thread");
      byId("text").focus();
    }, notifyProblem);
  });
}
