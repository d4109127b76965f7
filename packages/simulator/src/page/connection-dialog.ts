import type { Account } from "../world/model.ts";
import { type CallbackAnswer, call, type SimulatorState, type TokenStatus } from "./api.ts";
import { connectionNames } from "./connection-names.ts";
import { button, byId, element, replaceChildren, setText } from "./dom.ts";
import { notify, notifyProblem } from "./notices.ts";
import { now, refresh, render, type Scene } from "./store.ts";
import { formatDayTime, formatDuration } from "./times.ts";

const dayMs = 24 * 3_600_000;

/** The account that the dialog shows; `""` while it is closed. */
let accountKey = "";
let isBadSignature = false;

/** A part of the dialog: its state in a sentence, and the buttons that change it. */
interface Knob {
  title: string;
  text: string;
  isGood: boolean;
  actions: [label: string, run: () => void][];
}

export function subscribeAgain(account: Account): void {
  call("/subscriptions", owner(account)).then(
    () => refresh().then(() => notify(`${account.displayName} sends webhooks to the app.`)),
    notifyProblem,
  );
}

function owner({ externalId, connection }: Account): { account: string; connection: string } {
  return { account: externalId, connection };
}

/** Opens the dialog about what connects the app to an account. */
export function openConnection(account: Account): void {
  accountKey = account.key;
  setText(byId("connection-answer"), "");
  dialog().showModal();
  render();
}

export function connectConnectionDialog(): void {
  byId("connection-close").addEventListener("click", () => dialog().close());
  dialog().addEventListener("close", () => {
    accountKey = "";
  });
}

const dialog = (): HTMLDialogElement => byId("connection-dialog") as HTMLDialogElement;

export function drawConnection({ state }: Scene): void {
  const account = state.accounts.find(({ key }) => key === accountKey);
  if (account === undefined) return;
  setText(byId("connection-title"), `Connection of ${account.displayName}, ${connectionNames[account.connection]}`);
  const knobs = [subscription(account, state), token(account, state), sends(account, state)];
  const people = callbackPeople(account, state);
  const shape = [
    account.key,
    knobs,
    knobs.map(({ actions }) => actions.map(([label]) => label)),
    people,
    isBadSignature,
  ];
  replaceChildren(byId("connection-knobs"), shape, () => [...knobs.map(knobView), callbackView(account, people)]);
}

function knobView({ title, text, isGood, actions }: Knob): HTMLElement {
  return element(
    "section",
    { class: "knob", "aria-label": title },
    element("h3", {}, title),
    element("p", { class: isGood ? "soft" : "knob-bad" }, text),
    element(
      "div",
      { class: "knob-actions" },
      ...actions.map(([label, run]) =>
        button({ class: "small-button", "data-key": `knob ${title} ${label}` }, run, label),
      ),
    ),
  );
}

/** Changes the account through a control route and shows the new state. */
function change(account: Account, path: string, fields: object): () => void {
  return () => void call(path, { ...owner(account), ...fields }).then(() => refresh(), notifyProblem);
}

function subscription(account: Account, { subscriptions, ended }: SimulatorState): Knob {
  const node = account.pageId ?? account.externalId;
  const fields = subscriptions[node];
  const endedAt = ended[node];
  const title = "Subscription";
  if (fields !== undefined) {
    const actions: Knob["actions"] = [
      ["End the subscription", change(account, "/subscriptions", { subscribed: false })],
    ];
    return { title, text: `The app gets ${fields.length} fields: ${fields.join(", ")}.`, isGood: true, actions };
  }
  const text =
    endedAt === undefined ? "The app is not subscribed." : `The platform ended it ${formatDayTime(endedAt)}.`;
  const actions: Knob["actions"] = [["Subscribe the app again", change(account, "/subscriptions", {})]];
  return { title, text, isGood: endedAt === undefined, actions };
}

const refusals: Record<number, string> = {
  458: "the app was removed",
  459: "a checkpoint waits for the person",
  460: "the password was changed",
  463: "it expired",
};

/** The newest token of the account, and how many there are. */
function token(account: Account, { tokens }: SimulatorState): Knob {
  const node = account.pageId ?? account.externalId;
  const ofAccount = tokens.filter(({ kind, subject }) => kind !== "user" && subject === node);
  const newest = ofAccount.toSorted((a, b) => a.issued_at - b.issued_at).at(-1);
  const title = "Token";
  if (newest === undefined) return { title, text: "No login has given one.", isGood: true, actions: [] };
  const refusal = refusedWith(newest);
  const tokenAction = (action: string): (() => void) => change(account, "/tokens", { action });
  const count = ofAccount.length === 1 ? "" : ` The newest of ${ofAccount.length}.`;
  if (refusal !== null) {
    const text = `Refused with 190/${refusal}: ${refusals[refusal] ?? "the platform refuses it"}.${count}`;
    return { title, text, isGood: false, actions: [["Restore", tokenAction("restore")]] };
  }
  const life =
    newest.expires_at === null ? "It does not expire." : `It expires in ${formatDuration(newest.expires_at - now())}.`;
  const actions: Knob["actions"] = [
    ["Expire", tokenAction("expire")],
    ["Let 7 days be left", change(account, "/tokens", { life_ms: 7 * dayMs })],
    ["Revoke", tokenAction("revoke")],
    ["Checkpoint", tokenAction("checkpoint")],
  ];
  return { title, text: `The platform accepts it. ${life}${count}`, isGood: true, actions };
}

function refusedWith({ refused_with: refused, expires_at: end }: TokenStatus): number | null {
  return refused ?? (end !== null && end <= now() ? 463 : null);
}

function sends(account: Account, { restricted }: SimulatorState): Knob {
  const until = restricted[account.key] ?? 0;
  const title = "Sends";
  const restrict = (minutes: number): (() => void) => change(account, "/restrictions", { minutes });
  if (until > now()) {
    const text = `Refused with 10/1893063 for ${formatDuration(until - now())}: the account is restricted.`;
    return { title, text, isGood: false, actions: [["Lift the restriction", restrict(0)]] };
  }
  const actions: Knob["actions"] = [
    ["Restrict for an hour", restrict(60)],
    ["Restrict for a day", restrict(24 * 60)],
  ];
  return { title, text: "The platform accepts them.", isGood: true, actions };
}

/** Whom the platform calls the app about: the Instagram account, or each user who granted the Page. */
function callbackPeople(account: Account, { users, tokens }: SimulatorState): { name: string; fields: object }[] {
  if (account.connection === "instagram_login") return [{ name: `@${account.handle}`, fields: owner(account) }];
  const granters = tokens
    .filter(({ kind, subject }) => kind === "page" && subject === account.pageId)
    .map(({ user }) => user ?? users[0]?.id);
  return users.filter(({ id }) => granters.includes(id)).map(({ id, name }) => ({ name, fields: { user: id } }));
}

/** The status page of a deletion, as the platform would show it to the person. */
function statusLink(body: string): HTMLElement[] {
  const url = /"url":"(https?:\/\/[^"\\]+)"/.exec(body)?.[1];
  return url === undefined ? [] : [element("a", { href: url, target: "_blank" }, "Open the status page")];
}

function callbackView(account: Account, people: { name: string; fields: object }[]): HTMLElement {
  const post = (path: string, fields: object): void => {
    const signature = isBadSignature ? "bad" : "good";
    setText(byId("connection-answer"), "Waiting for the app…");
    call<CallbackAnswer>(path, { ...fields, signature }).then(async ({ url, status, body }) => {
      const text = `${new URL(url).pathname} answered ${status ?? "nothing"}: ${body}`;
      byId("connection-answer").replaceChildren(element("span", {}, text), ...statusLink(body));
      byId("connection-answer").scrollIntoView({ block: "nearest" });
      await refresh();
    }, notifyProblem);
  };
  const signature = element("input", { type: "checkbox", checked: isBadSignature, "data-key": "knob signature" });
  signature.addEventListener("change", () => {
    isBadSignature = signature.checked;
    render();
  });
  return element(
    "section",
    { class: "knob", "aria-label": "Callbacks of the platform" },
    element("h3", {}, "Callbacks of the platform"),
    people.length === 0 ? element("p", { class: "soft" }, `No one connected ${account.displayName}.`) : null,
    ...people.map(({ name, fields }) =>
      element(
        "div",
        { class: "knob-actions", role: "group", "aria-label": name },
        element("span", { class: "knob-person" }, name),
        button(
          { class: "small-button", "data-key": `remove ${name}` },
          () => post("/deauthorize", fields),
          "Remove the app",
        ),
        button(
          { class: "small-button", "data-key": `delete ${name}` },
          () => post("/data-deletion", fields),
          "Ask for the deletion of data",
        ),
      ),
    ),
    people.length === 0 ? null : element("label", { class: "knob-check" }, signature, "Sign with a wrong secret"),
  );
}
