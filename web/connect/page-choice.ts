import { create, element, showText } from "../common/elements.ts";
import type { Account, OfferedInstagram, OfferedPage, Selection } from "./calls.ts";

const section = element("choice", HTMLElement);
const title = element("choice-title", HTMLElement);
const form = element("choice-form", HTMLFormElement);

const NO_PAGES =
  "Facebook offers no page on which you may answer messages. Connect a Facebook page again and select the page in the login. If it is not listed there, ask an admin of the page to give you the task Messages.";
const REPLACES = "Connected by an Instagram login now. Connecting it through the page replaces that.";

export interface ChoiceActions {
  /** Connects. Returns a problem, or null when it is done. */
  readonly onSelect: (selection: Selection) => Promise<string | null>;
  readonly onCancel: () => void;
}

/** Asks which page and which of its accounts to connect. @param accounts those of the workspace */
export function showChoice(
  pages: readonly OfferedPage[],
  accounts: readonly Account[],
  { onSelect, onCancel }: ChoiceActions,
): void {
  const cancel = create("button", { type: "button", class: "second" }, "Cancel");
  cancel.addEventListener("click", onCancel);
  if (pages.length === 0) {
    form.replaceChildren(create("p", {}, NO_PAGES), create("div", { class: "actions" }, cancel));
  } else {
    fillForm(pages, accounts, { onSelect, cancel });
  }
  section.hidden = false;
  title.focus();
}

export function hideChoice(): void {
  section.hidden = true;
  form.replaceChildren();
}

function fillForm(
  pages: readonly OfferedPage[],
  accounts: readonly Account[],
  { onSelect, cancel }: { readonly onSelect: ChoiceActions["onSelect"]; readonly cancel: HTMLElement },
): void {
  const kinds = create("fieldset", {});
  const problem = create("p", { class: "problem", role: "alert" });
  const submit = create("button", { type: "submit" }, "Connect");
  const [firstPage] = pages;
  let page = firstPage;
  const showKinds = () => {
    if (page) kinds.replaceChildren(create("legend", {}, "Accounts to connect"), ...accountChoices(page, accounts));
    problem.textContent = "";
  };
  const pageChoices = pages.map((candidate) =>
    choiceRow("radio", { name: "page", value: candidate.id, checked: candidate === page }, [candidate.name]),
  );
  const pageList = create("fieldset", { class: "pages" }, create("legend", {}, "Page"), ...pageChoices);
  pageList.addEventListener("change", (event) => {
    const { value } = event.target as HTMLInputElement;
    page = pages.find(({ id }) => id === value);
    showKinds();
  });
  form.replaceChildren(pageList, kinds, problem, create("div", { class: "actions" }, cancel, submit));
  showKinds();
  form.onsubmit = (event) => {
    event.preventDefault();
    if (submit.getAttribute("aria-disabled") === "true" || !page) return;
    const checked = [...kinds.querySelectorAll("input")].filter((input) => input.checked);
    const connect = checked.map(({ value }) => value as Selection["connect"][number]);
    if (connect.length === 0) {
      problem.textContent = "Select at least one account.";
      return;
    }
    setBusy(submit, true);
    problem.textContent = "";
    void onSelect({ page_id: page.id, connect }).then((failure) => {
      setBusy(submit, false);
      showText(problem, failure ?? "");
    });
  };
}

function setBusy(submit: HTMLElement, busy: boolean): void {
  submit.setAttribute("aria-disabled", String(busy));
  submit.textContent = busy ? "Connecting…" : "Connect";
}

function accountChoices({ isMessengerConnected, instagram }: OfferedPage, accounts: readonly Account[]): HTMLElement[] {
  const messenger = choiceRow("checkbox", { name: "account", value: "messenger", checked: true }, [
    "Messenger",
    isMessengerConnected ? "Connected now. Connecting it again renews its access." : "",
  ]);
  if (!instagram) {
    return [messenger, create("p", { class: "soft" }, "No Instagram account is linked to this page.")];
  }
  const hasOwnLogin = accounts.some(({ key, pageId }) => key === instagram.accountKey && pageId === "");
  const options = { name: "account", value: "instagram", checked: !hasOwnLogin };
  return [
    messenger,
    choiceRow("checkbox", options, [`Instagram @${instagram.username}`, instagramNote(instagram, hasOwnLogin)]),
  ];
}

function instagramNote({ isConnected }: OfferedInstagram, hasOwnLogin: boolean): string {
  if (hasOwnLogin) return REPLACES;
  return isConnected ? "Connected now. Connecting it again renews its access." : "";
}

interface ChoiceOptions {
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
}

/** A control with its label and a note below it. */
function choiceRow(
  type: "radio" | "checkbox",
  { name, value, checked }: ChoiceOptions,
  [label = "", note = ""]: readonly string[],
): HTMLElement {
  const input = create("input", { type, name, value, ...(checked ? { checked: "" } : {}) });
  const texts = create("span", {}, create("span", { dir: "auto" }, label));
  if (note !== "") texts.append(create("span", { class: "soft" }, note));
  return create("label", { class: "choice" }, input, texts);
}
