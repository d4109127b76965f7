import { call, type Webhook } from "../api.ts";
import { button, element } from "../dom.ts";
import { openWebhook } from "../inspector/inspector.ts";
import { webhookText, webhookTitle } from "../inspector/webhook-title.ts";
import { formatSeconds } from "../times.ts";
import { type BenchView, closeBench } from "./bench-frame.ts";

export const webhooksView = {
  title: "Webhooks",
  text: "The newest 50 that the simulator sent. Open one to see it, to send it again, or to edit and send it.",
  read: () => call<{ webhooks: Webhook[] }>("/webhooks"),
  render({ webhooks }: { webhooks: Webhook[] }): HTMLElement[] {
    if (webhooks.length === 0) return [element("p", { class: "soft" }, "No webhook was sent yet.")];
    return [element("ul", { class: "bench-rows" }, ...webhooks.map(webhookRow))];
  },
} satisfies BenchView;

function webhookRow(webhook: Webhook): HTMLElement {
  const { id, attempts, url } = webhook;
  const last = attempts.at(-1);
  const outcome = last === undefined ? "Sending" : String(last.status ?? "No answer");
  const title = webhookTitle(webhook);
  const text = webhookText(webhook);
  const show = (): void => {
    closeBench();
    openWebhook(id, `Webhook: ${title}`);
  };
  return element(
    "li",
    {},
    button(
      { class: "bench-row bench-open", "data-key": `webhook ${id}` },
      show,
      element(
        "span",
        { class: "words" },
        element("span", { class: "bench-name" }, title, webhook.copy_of === undefined ? "" : ", sent again"),
        element("span", { class: "soft" }, text === "" ? new URL(url).pathname : text),
      ),
      element(
        "span",
        { class: "bench-side" },
        element("span", { class: `pill ${last?.status === 200 ? "good" : "bad"}` }, outcome),
        element(
          "span",
          { class: "soft" },
          last === undefined ? "" : formatSeconds(last.at),
          attempts.length > 1 ? ` · ${attempts.length} attempts` : "",
        ),
      ),
    ),
  );
}
