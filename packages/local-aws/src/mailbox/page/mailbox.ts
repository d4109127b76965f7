import { printableText } from "../../../../loopback/src/printable.ts";
import type { Mail } from "./mail.ts";
import { type MailPart, mailContent, mailParts } from "./mail-content.ts";
import { controlToken, dropToken, readLinkedToken, storeToken } from "./token.ts";

const refreshMs = 2_000;
const time = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

let mails: Mail[] | null = null;
/** The part that the person chose; null shows the HTML if there is one. */
let part: MailPart | null = null;
let shownList = "";
let shownMail = "";

const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
};

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = "",
  className = "",
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  created.textContent = printableText(text);
  created.className = className;
  return created;
}

async function read(): Promise<void> {
  const token = controlToken();
  if (token === null) return askForToken("");
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const response = await fetch("/_local/mail", { headers });
  const answer = (await response.json()) as { mails?: Mail[]; message?: string };
  if (response.status === 401) return askForToken(answer.message ?? "");
  if (answer.mails === undefined) throw new Error(answer.message ?? "");
  mails = answer.mails;
  draw();
}

function askForToken(problem: string): void {
  dropToken();
  mails = null;
  byId("token-form").hidden = false;
  byId("token-problem").textContent = printableText(problem);
  byId("status").textContent = "";
  draw();
}

/** The mail of the address, `#<id>`. */
function selectedMail(): Mail | undefined {
  return mails?.find(({ id }) => id === location.hash.slice(1));
}

/** Beside the list is the newest mail until one is selected. A narrow page shows one of the two. */
const wide = matchMedia("(min-width: 761px)");

function draw(): void {
  const mail = selectedMail() ?? (wide.matches ? mails?.[0] : undefined);
  document.body.dataset.screen = mail === undefined ? "list" : "mail";
  drawList(mail);
  drawMail(mail);
  if (mails === null) return;
  byId("token-form").hidden = true;
  const count = mails.length === 1 ? "1 mail" : `${mails.length} mails`;
  const text =
    mails.length === 0 ? "No mail yet. A mail that the stack sends appears here." : `${count}. None left this machine.`;
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

function drawList(selected: Mail | undefined): void {
  const shape = JSON.stringify([mails?.map(({ id }) => id), selected?.id]);
  if (shape === shownList) return;
  shownList = shape;
  const focused = document.activeElement?.getAttribute("href");
  byId("list").replaceChildren(...(mails ?? []).map((mail) => row(mail, mail === selected)));
  if (focused?.startsWith("#"))
    byId("list")
      .querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)
      ?.focus();
}

function row({ id, subject, to, at }: Mail, isSelected: boolean): HTMLElement {
  const link = create("a");
  link.href = `#${id}`;
  if (isSelected) link.setAttribute("aria-current", "true");
  const when = create("time", time.format(at), "soft");
  when.dateTime = new Date(at).toISOString();
  link.append(create("span", subject || "No subject", "row-subject"), create("span", to.join(", "), "soft"), when);
  return link;
}

function drawMail(mail: Mail | undefined): void {
  byId("mail").hidden = mail === undefined;
  const shape = `${mail?.id} ${part}`;
  if (shape === shownMail || mail === undefined) {
    if (mail === undefined) shownMail = "";
    return;
  }
  shownMail = shape;
  byId("subject").textContent = printableText(mail.subject || "No subject");
  const fields: [string, string][] = [
    ["From", mail.from],
    ["To", mail.to.join(", ")],
    ["Cc", mail.cc.join(", ")],
    ["Bcc", mail.bcc.join(", ")],
    ["Reply to", mail.replyTo.join(", ")],
    ["Sent", time.format(mail.at)],
  ];
  const shown = fields.filter(([, value]) => value !== "");
  byId("fields").replaceChildren(...shown.flatMap(([name, value]) => [create("dt", name), create("dd", value)]));
  const parts = mailParts(mail);
  const current = parts.find((one) => one === part) ?? parts[0] ?? "text";
  byId("parts").hidden = parts.length < 2;
  byId("parts").replaceChildren(...parts.map((one) => partButton(one, one === current)));
  byId("content").replaceChildren(mailContent(mail, current));
}

function partButton(name: MailPart, isCurrent: boolean): HTMLElement {
  const button = create("button", name === "html" ? "HTML" : "Text");
  button.type = "button";
  button.setAttribute("aria-pressed", String(isCurrent));
  button.addEventListener("click", () => {
    part = name;
    draw();
    byId("parts").querySelector<HTMLElement>('[aria-pressed="true"]')?.focus();
  });
  return button;
}

async function poll(): Promise<void> {
  try {
    if (byId("token-form").hidden) await read();
  } catch {
    byId("status").textContent = "No answer from the stack.";
  }
  setTimeout(() => void poll(), refreshMs);
}

readLinkedToken();
byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = byId("token") as HTMLInputElement;
  storeToken(field.value.trim());
  field.value = "";
  byId("token-form").hidden = true;
  void read();
});
addEventListener("hashchange", () => {
  if (readLinkedToken()) {
    byId("token-form").hidden = true;
    void read();
    return;
  }
  draw();
  // The keyboard and screen readers go on where the content changed.
  if (selectedMail() !== undefined) byId("subject").focus();
});
wide.addEventListener("change", draw);
void poll();
