import { call, type Webhook } from "../api.ts";
import { byId, setText } from "../dom.ts";
import { notify, notifyProblem } from "../notices.ts";
import { refresh } from "../store.ts";
import { prettyJson } from "./json-view.ts";

interface ResendAnswer {
  status_of_webhook: string;
  receiver: number | string | null;
  webhook: string;
}

let webhook: Webhook | null = null;
let onSent: (id: string) => void = () => {};

const dialog = (): HTMLDialogElement => byId("resend-dialog") as HTMLDialogElement;
const body = (): HTMLTextAreaElement => byId("resend-body") as HTMLTextAreaElement;
const isForged = (): HTMLInputElement => byId("resend-forged") as HTMLInputElement;

/** Sends the same bytes again. `sent` gets the id of the new webhook. */
export function sendAgain({ id }: Webhook, sent: (id: string) => void): void {
  call<ResendAnswer>("/resend", { webhook: id }).then((answer) => report(answer, sent), notifyProblem);
}

/** Opens the editor with the body of a webhook. */
export function openEditor(original: Webhook, sent: (id: string) => void): void {
  webhook = original;
  onSent = sent;
  body().value = prettyJson(original.body);
  isForged().checked = false;
  setText(byId("resend-problem"), "");
  dialog().showModal();
  body().focus();
  body().setSelectionRange(0, 0);
  body().scrollTop = 0;
}

async function report({ receiver, webhook: id }: ResendAnswer, sent: (id: string) => void): Promise<void> {
  await refresh();
  sent(id);
  if (receiver === 200) notify("Sent again: accepted by the app.");
  else
    notify(`Sent again: ${typeof receiver === "number" ? `the app answered ${receiver}` : receiver}.`, undefined, true);
}

export function connectResendDialog(): void {
  byId("resend-cancel").addEventListener("click", () => dialog().close());
  byId("resend-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (webhook === null) return;
    const fields = { webhook: webhook.id, body: body().value, signature: isForged().checked ? "bad" : "good" };
    call<ResendAnswer>("/resend", fields).then(
      (answer) => {
        dialog().close();
        return report(answer, onSent);
      },
      (error: Error) => setText(byId("resend-problem"), error.message),
    );
  });
}
