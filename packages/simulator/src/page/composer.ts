import type { ThreadMessage } from "../world/model.ts";
import { byId, setText } from "./dom.ts";
import { attachMenu, type MenuEntry } from "./menu.ts";
import { notify, notifyProblem, outcomeText } from "./notices.ts";
import { act, currentScene, type Scene, target } from "./store.ts";

/** What the text box is for. */
type Mode =
  | { kind: "message" }
  | { kind: "edit"; message: ThreadMessage }
  | { kind: "reply"; message: ThreadMessage }
  | { kind: "story" };

let mode: Mode = { kind: "message" };
/** The text that was in the box before an edit. */
let draft = "";
let modeThread = "";

const text = (): HTMLTextAreaElement => byId("text") as HTMLTextAreaElement;
const isBusiness = (): boolean => (byId("as-account") as HTMLInputElement).checked;

export function startMode(next: Mode): void {
  if (mode.kind !== "edit") draft = text().value;
  mode = next;
  if (next.kind === "edit") {
    text().value = next.message.text ?? "";
    (byId("as-person") as HTMLInputElement).checked = true;
  }
  if (next.kind === "story") (byId("as-person") as HTMLInputElement).checked = true;
  if (next.kind === "message") text().value = draft;
  redraw();
  text().focus();
}

function redraw(): void {
  const scene = currentScene();
  if (scene !== null) drawComposer(scene);
}

export function drawComposer(scene: Scene): void {
  const { account, person } = scene;
  const thread = `${account?.key}/${person?.id}`;
  if (thread !== modeThread) {
    modeThread = thread;
    mode = { kind: "message" };
    draft = "";
    text().value = "";
    (byId("as-person") as HTMLInputElement).checked = true;
  }
  const editing = mode.kind === "edit" ? mode.message.mid : null;
  if (editing !== null && scene.thread?.messages.find(({ mid }) => mid === editing)?.deleted)
    mode = { kind: "message" };
  setText(byId("as-person-name"), person?.name ?? "Person");
  setText(byId("as-account-name"), account?.displayName ?? "Business");
  const label = textLabel(scene);
  setText(byId("text-label"), label);
  text().placeholder = byId("text-label").textContent ?? "";
  for (const id of ["text", "send", "attach"]) (byId(id) as HTMLButtonElement).disabled = person === undefined;
  byId("identity").hidden = mode.kind === "edit" || mode.kind === "story";
  (byId("attach") as HTMLButtonElement).hidden = isBusiness() || mode.kind === "edit" || mode.kind === "story";
  drawStrip();
}

function textLabel({ account, person }: Scene): string {
  if (person === undefined) return "Add a person first";
  if (mode.kind === "edit") return "Edit the message";
  if (mode.kind === "story") return `Reply to the story of ${account?.displayName}`;
  if (isBusiness()) return `Answer in the app as ${account?.displayName}`;
  return `Message ${account?.displayName}`;
}

function drawStrip(): void {
  const strip = byId("mode");
  strip.hidden = mode.kind === "message";
  const titles = { message: "", edit: "Editing a message", reply: "Replying", story: "Replying to a story" };
  setText(byId("mode-title"), titles[mode.kind]);
  const detail =
    mode.kind === "edit" || mode.kind === "reply"
      ? (mode.message.text ?? mode.message.note ?? "An attachment")
      : "The text becomes a story reply.";
  setText(byId("mode-detail"), detail);
}

function submission(scene: Scene, content: string): { path: string; body: Record<string, unknown> } {
  const owner = target(scene);
  if (mode.kind === "edit")
    return { path: "/person-sends", body: { ...owner, kind: "edit", mid: mode.message.mid, text: content } };
  if (mode.kind === "story") return { path: "/person-sends", body: { ...owner, kind: "story_reply", text: content } };
  const reply = mode.kind === "reply" ? { reply_to: mode.message.mid } : {};
  return { path: isBusiness() ? "/account-sends" : "/person-sends", body: { ...owner, text: content, ...reply } };
}

function submit(): void {
  const scene = currentScene();
  const content = text().value.trim();
  if (scene === null || content === "") return;
  const { path, body } = submission(scene, content);
  const sentMode = mode;
  mode = { kind: "message" };
  text().value = sentMode.kind === "edit" ? draft : "";
  draft = "";
  drawComposer(scene);
  act(path, body).catch((error: unknown) => {
    notifyProblem(error);
    if (text().value !== "") return;
    mode = sentMode;
    text().value = content;
    redraw();
  });
}

/** Sends an action of the person that needs no text. */
export function sendKind(kind: string, name: string, openWebhook: (id: string) => void): void {
  const scene = currentScene();
  if (scene === null) return;
  act("/person-sends", { ...target(scene), kind }).then((answer) => {
    const isShown = scene.state.version > 0 && answer.mid !== null && !["read", "delivered"].includes(kind);
    if (isShown && kind !== "edit_noise") return;
    const { webhook } = answer;
    notify(
      outcomeText(name, answer),
      webhook === null ? undefined : { label: "Details", run: () => openWebhook(webhook) },
    );
  }, notifyProblem);
}

function attachEntries(openWebhook: (id: string) => void): MenuEntry[] {
  const scene = currentScene();
  const onMessenger = scene?.account?.connection === "messenger";
  const send = (kind: string, label: string): MenuEntry => ({ label, run: () => sendKind(kind, label, openWebhook) });
  return [
    { heading: "Attachments" },
    send("image", "Photo"),
    send("album", "Several photos"),
    send("video", "Video"),
    send("audio", "Voice message"),
    send("file", "File"),
    send("sticker", "Sticker"),
    send("like", onMessenger ? "Thumbs up" : "Heart"),
    send("shared_post", "Shared post"),
    send("reel", "Shared reel"),
    ...(onMessenger
      ? [send("location", "Location")]
      : [send("view_once", "View-once photo"), send("story_mention", "Mention in a story")]),
    send("unsupported", "Unsupported content"),
    "divider",
    { heading: "Actions" },
    ...(onMessenger ? [] : [{ label: "Reply to a story…", run: () => startMode({ kind: "story" }) }]),
    send("quick_reply", "Quick reply"),
    send("postback", "Press a button (postback)"),
    send("ad_message", "Message from an ad"),
    send("referral", "Open a referral link"),
    "divider",
    { heading: "Receipts" },
    send("read", "Read the messages"),
    ...(onMessenger ? [send("delivered", "Delivery receipt")] : []),
  ];
}

export function connectComposer(openWebhook: (id: string) => void): void {
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  text().addEventListener("keydown", (event) => {
    if (event.key === "Escape" && mode.kind !== "message") {
      event.preventDefault();
      return startMode({ kind: "message" });
    }
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  for (const id of ["as-person", "as-account"]) byId(id).addEventListener("change", redraw);
  byId("mode-cancel").addEventListener("click", () => startMode({ kind: "message" }));
  attachMenu(byId("attach") as HTMLButtonElement, {
    label: "Attachments and actions",
    layout: "columns",
    entries: () => attachEntries(openWebhook),
  });
}
