import { type AppReport, call, type Delivery, type Webhook } from "../api.ts";
import { button, element } from "../dom.ts";
import { notify, notifyProblem } from "../notices.ts";
import { formatDayTime, formatSeconds } from "../times.ts";
import { codeView, prettyJson } from "./json-view.ts";
import { openEditor, sendAgain } from "./resend-dialog.ts";
import { webhookTitle } from "./webhook-title.ts";

/** Everything that the details show about a message or a webhook. */
export interface Inspection {
  webhooks: Webhook[];
  /** The app's own request that sent the message. */
  call: unknown;
  /** Null if the simulator runs alone, or for a webhook without a message. */
  report: AppReport | null;
}

const secretNames = { meta: "Meta app secret", instagram: "Instagram app secret" };

const hint = (...children: (Node | string)[]): HTMLElement => element("p", { class: "hint" }, ...children);
const code = (text: string): HTMLElement => element("code", {}, text);

/** The buttons that send a webhook again. */
function resendActions(webhook: Webhook, onSent: (id: string) => void): HTMLElement {
  return element(
    "div",
    { class: "knob-actions" },
    button(
      { class: "small-button", "data-key": `again ${webhook.id}` },
      () => sendAgain(webhook, onSent),
      "Send again",
    ),
    button(
      { class: "small-button", "data-key": `edit ${webhook.id}` },
      () => openEditor(webhook, onSent),
      "Edit and send…",
    ),
  );
}

export function webhookTab({ webhooks, call: sendCall }: Inspection, onSent: (id: string) => void): HTMLElement[] {
  const views = webhooks.map((webhook) =>
    element(
      "section",
      { class: "block" },
      element("h3", {}, `Webhook: ${webhookTitle(webhook)}${webhook.copy_of === undefined ? "" : ", sent again"}`),
      resendActions(webhook, onSent),
      element("p", { class: "request" }, element("b", {}, "POST "), code(webhook.url)),
      codeView("Body", prettyJson(webhook.body), webhook.body),
      hint(
        "Signed with the ",
        secretNames[webhook.secret],
        ": HMAC-SHA256 over the exact bytes of the body. ",
        element("b", {}, "Copy"),
        " copies these bytes.",
      ),
      headerTable(webhook.headers),
    ),
  );
  const sent =
    sendCall === null || sendCall === undefined
      ? []
      : [
          element(
            "section",
            { class: "block" },
            element("h3", {}, "Send call of the app"),
            codeView("Request body", JSON.stringify(sendCall, null, 2)),
          ),
        ];
  if (views.length + sent.length > 0) return [...sent, ...views];
  return [hint("No webhook of this message is in the log: it is too old, or the app is not subscribed.")];
}

function headerTable(headers: Record<string, string>): HTMLElement {
  const rows = Object.entries(headers).map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, code(value))),
  );
  return element("table", { class: "headers" }, element("caption", {}, "Headers"), element("tbody", {}, ...rows));
}

export function answerTab({ webhooks }: Inspection): HTMLElement[] {
  if (webhooks.length === 0) return [hint("No webhook was sent, so there is no answer.")];
  return webhooks.map((webhook) =>
    element(
      "section",
      { class: "block" },
      element("h3", {}, `Answers to the webhook: ${webhookTitle(webhook)}`),
      element(
        "ol",
        { class: "attempts" },
        ...webhook.attempts.map((attempt, at) => attemptView(attempt, webhook.attempts[at - 1])),
      ),
      webhook.attempts.length === 0 ? hint("The first attempt is in progress.") : null,
      webhook.next_attempt_at === null || webhook.attempts.length === 0
        ? null
        : hint(
            `The next attempt is at ${formatDayTime(webhook.next_attempt_at)}, or as soon as the clock is advanced.`,
          ),
    ),
  );
}

type Attempt = Webhook["attempts"][number];

/** One attempt. Its answer is shown unless it is that of the attempt before. */
function attemptView(attempt: Attempt, before: Attempt | undefined): HTMLElement {
  const isTaken = attempt.status === 200;
  return element(
    "li",
    { class: "attempt" },
    element(
      "div",
      { class: "attempt-line" },
      element("span", { class: `pill ${isTaken ? "good" : "bad"}` }, String(attempt.status ?? "No answer")),
      element("span", {}, isTaken ? "Accepted by the app" : (attempt.problem ?? "")),
      element("span", { class: "when" }, `${formatSeconds(attempt.at)} · ${attempt.duration_ms} ms`),
    ),
    attempt.body === "" || attempt.body === before?.body ? null : codeView("Answer", prettyJson(attempt.body)),
  );
}

export function eventTab({ report, webhooks }: Inspection): HTMLElement[] {
  const missing = missingReport({ report, webhooks });
  if (missing !== null || report === null) return [missing ?? hint()];
  const events = new Map(report.deliveries.map(({ delivery }) => [delivery.event_id, delivery]));
  const views = [...events.values()].map((delivery) =>
    element(
      "section",
      { class: "block" },
      element("h3", {}, delivery.event_type),
      codeView(`Event ${delivery.event_type}`, JSON.stringify(delivery.event, null, 2)),
    ),
  );
  const stored =
    report.message === null
      ? hint("The app has no message with this id: it is not processed yet, or the conversation was erased.")
      : element(
          "section",
          { class: "block" },
          element("h3", {}, "Stored message"),
          codeView("GET /v1/messages/{id}", JSON.stringify(report.message, null, 2)),
        );
  return [...(views.length > 0 ? views : [noEndpoint(report)]), stored];
}

export function deliveriesTab(inspection: Inspection): HTMLElement[] {
  const missing = missingReport(inspection);
  if (missing !== null || inspection.report === null) return [missing ?? hint()];
  const { report } = inspection;
  const { deliveries } = report;
  return deliveries.length === 0 ? [noEndpoint(report)] : deliveries.map(deliveryView);
}

function missingReport({ report }: Pick<Inspection, "report" | "webhooks">): HTMLElement | null {
  if (report === null)
    return hint("Only messages have events here, and only where the program that runs the simulator reports them.");
  return report.problem === null ? null : hint(report.problem);
}

function noEndpoint({ endpoint_hint: how = "Add an endpoint to the app" }: AppReport): HTMLElement {
  return hint(
    "No endpoint has an event of this message. An event goes to the endpoints that exist when it happens. ",
    ...how.split("`").map((text, index) => (index % 2 ? code(text) : text)),
    " and send another message.",
  );
}

function deliveryView({ endpoint, endpoint_id, delivery }: AppReport["deliveries"][number]): HTMLElement {
  const kind =
    delivery.status === "delivered" ? "good" : ["failed", "blocked", "dlq"].includes(delivery.status) ? "bad" : "warn";
  const rows = delivery.attempts.map((attempt) =>
    element(
      "tr",
      {},
      element("td", {}, formatSeconds(attempt.at)),
      element("td", {}, attempt.status === null ? (attempt.error ?? "—") : String(attempt.status)),
      element("td", {}, attempt.duration_ms === null ? "—" : `${attempt.duration_ms} ms`),
    ),
  );
  const heads = ["Time", "Answer", "Duration"].map((name) => element("th", { scope: "col" }, name));
  return element(
    "section",
    { class: "block" },
    element("h3", {}, delivery.event_type, " ", element("span", { class: `pill ${kind}` }, delivery.status)),
    element("p", { class: "request" }, code(endpoint)),
    rows.length === 0
      ? hint("Not attempted yet.")
      : element(
          "table",
          { class: "tries" },
          element("caption", { class: "unseen" }, "Attempts"),
          element("thead", {}, element("tr", {}, ...heads)),
          element("tbody", {}, ...rows),
        ),
    delivery.next_retry_at === null ? null : hint(`The next attempt is at ${formatDayTime(delivery.next_retry_at)}.`),
    element("p", { class: "soft" }, delivery.delivery_id),
    replayAction(endpoint_id, delivery),
  );
}

/** An event that waits for an attempt cannot be replayed. */
function replayAction(endpointId: string, { delivery_id: id, event_type: type, status }: Delivery): HTMLElement | null {
  if (["pending", "attempting", "retrying"].includes(status)) return null;
  const replay = (): void =>
    void call("/app-replay", { endpoint_id: endpointId, delivery_id: id }).then(
      () => notify(`${type} is delivered again.`),
      notifyProblem,
    );
  return button({ class: "small-button", "data-key": `replay ${id}` }, replay, "Replay the event");
}
