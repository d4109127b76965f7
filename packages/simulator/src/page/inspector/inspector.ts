import type { ThreadMessage } from "../../world/model.ts";
import { type AppReport, call, type Webhook } from "../api.ts";
import { byId, replaceChildren, setText } from "../dom.ts";
import { notifyProblem } from "../notices.ts";
import { currentScreen, render, showScreen } from "../store.ts";
import { answerTab, deliveriesTab, eventTab, type Inspection, webhookTab } from "./tabs.ts";

/** A message, or a webhook that belongs to none. */
type Subject = { mid: string; title: string } | { webhook: string; title: string };

const tabs = { webhook: webhookTab, answer: answerTab, event: eventTab, deliveries: deliveriesTab };
type TabName = keyof typeof tabs;
const tabNames = Object.keys(tabs) as TabName[];
const refreshMs = 1_500;

let subject: Subject | null = null;
let inspection: Inspection | null = null;
let tab: TabName = "webhook";
/** Where the focus returns when the details close. */
let opener: string | null = null;
let timer = 0;

export function selectedMid(): string | null {
  return subject !== null && "mid" in subject ? subject.mid : null;
}

export function openMessage(message: ThreadMessage): void {
  const content = message.deleted ? "Message unsent" : (message.text ?? message.note ?? "Attachment");
  open({ mid: message.mid, title: content });
}

export function openWebhook(webhook: string, title = "Webhook without a message"): void {
  open({ webhook, title });
}

/** Shows what was just sent again: beside the original in the details of a message, or in its place. */
function onSent(webhook: string): void {
  if (subject !== null && "webhook" in subject) openWebhook(webhook, subject.title);
  else void update();
}

function open(next: Subject): void {
  const focused = document.activeElement;
  opener = focused instanceof HTMLElement ? (focused.dataset.key ?? focused.id) : null;
  subject = next;
  inspection = null;
  byId("inspector").hidden = false;
  document.body.classList.add("inspecting");
  setText(byId("inspected"), next.title);
  showScreen("details");
  draw();
  byId(`tab-${tab}`).focus();
  render();
  void update();
}

export function closeInspector(): void {
  if (subject === null) return;
  subject = null;
  clearTimeout(timer);
  byId("inspector").hidden = true;
  document.body.classList.remove("inspecting");
  if (currentScreen() === "details") showScreen("thread");
  render();
  const key = CSS.escape(opener ?? "");
  const target = key === "" ? null : document.querySelector<HTMLElement>(`[data-key="${key}"], #${key}`);
  (target ?? byId("text")).focus();
}

/** Reads the details again, as long as they are open: events and deliveries follow the webhook. */
async function update(): Promise<void> {
  clearTimeout(timer);
  const current = subject;
  if (current === null) return;
  try {
    const read = await readInspection(current);
    if (subject !== current) return;
    inspection = read;
    draw();
  } catch (error) {
    if (subject === current && inspection === null) notifyProblem(error);
  }
  timer = window.setTimeout(() => void update(), refreshMs);
}

async function readInspection(current: Subject): Promise<Inspection> {
  if ("webhook" in current) {
    const log = await call<{ webhooks: Webhook[] }>(`/webhooks?id=${encodeURIComponent(current.webhook)}`);
    return { webhooks: log.webhooks, call: null, report: null };
  }
  const query = `?mid=${encodeURIComponent(current.mid)}`;
  const [log, app] = await Promise.all([
    call<{ webhooks: Webhook[]; call: unknown }>(`/webhooks${query}`),
    call<{ report: AppReport | null }>(`/app${query}`),
  ]);
  return { ...log, report: app.report };
}

function draw(): void {
  for (const name of tabNames) {
    const isSelected = name === tab;
    const control = byId(`tab-${name}`);
    control.setAttribute("aria-selected", String(isSelected));
    control.tabIndex = isSelected ? 0 : -1;
  }
  const panel = byId("panel");
  panel.setAttribute("aria-labelledby", `tab-${tab}`);
  const read = inspection;
  replaceChildren(panel, [tab, subject, read], () =>
    read === null ? ["Loading…"].map((text) => document.createTextNode(text)) : tabs[tab](read, onSent),
  );
}

function select(name: TabName): void {
  tab = name;
  draw();
  byId("panel").scrollTop = 0;
  byId(`tab-${name}`).focus();
}

export function connectInspector(): void {
  for (const id of ["inspector-close", "inspector-back"]) byId(id).addEventListener("click", closeInspector);
  byId("inspector").addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeInspector();
  });
  for (const name of tabNames) byId(`tab-${name}`).addEventListener("click", () => select(name));
  byId("tabs").addEventListener("keydown", (event) => {
    const at = tabNames.indexOf(tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabNames.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    select(tabNames.at(next % tabNames.length) ?? "webhook");
  });
}
