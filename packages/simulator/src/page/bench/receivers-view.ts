import { call, type Receiver, type ReceiverStep } from "../api.ts";
import { button, element } from "../dom.ts";
import { textView } from "../inspector/json-view.ts";
import { notify, notifyProblem } from "../notices.ts";
import { type BenchView, updateBench } from "./bench-frame.ts";
import { receiverForm } from "./receiver-form.ts";
import { type ReceivedRequest, requestView } from "./receiver-requests.ts";

interface Content {
  can_connect: boolean;
  receivers: { receiver: Receiver; requests: ReceivedRequest[] }[];
}

export const receiversView = {
  title: "Scripted receivers",
  text: "An address that answers as its steps say. Add it to your app as an endpoint and watch its retries.",
  async read(): Promise<Content> {
    const { receivers, can_connect } = await call<{ receivers: Receiver[]; can_connect: boolean }>("/receivers");
    const details = receivers.map(({ name }) =>
      call<Content["receivers"][number]>(`/receivers?name=${encodeURIComponent(name)}`),
    );
    return { can_connect, receivers: await Promise.all(details) };
  },
  render({ can_connect: canConnect, receivers }: Content): HTMLElement[] {
    return [...receivers.map((one) => receiverView(one, canConnect)), receiverForm()];
  },
} satisfies BenchView;

/** Calls a control route, and shows the receivers as they are then. */
function change(path: string, fields: object, done: string): () => void {
  return () =>
    void call(path, fields).then(() => {
      notify(done);
      return updateBench();
    }, notifyProblem);
}

function receiverView({ receiver, requests }: Content["receivers"][number], canConnect: boolean): HTMLElement {
  const { name, url, steps, next_step: next } = receiver;
  const actions: [label: string, run: () => void][] = [
    ...(canConnect
      ? ([["Add as an endpoint", change("/connect-receiver", { name }, `${name} is an endpoint of the app.`)]] as const)
      : []),
    ["Start the steps again", change("/receivers", { name, steps }, `${name} starts with its first step.`)],
    ["Remove", change("/remove-receiver", { name }, `${name} is removed.`)],
  ].map(([label, run]) => [label as string, run as () => void]);
  return element(
    "section",
    { class: "knob", "aria-label": `Receiver ${name}` },
    element("h3", {}, name, " ", element("span", { class: "pill" }, receiver.has_secret ? "Verifies signatures" : "")),
    textView(`URL of ${name}`, url),
    element(
      "ol",
      { class: "receiver-steps", "aria-label": "Steps" },
      ...steps.map((step, at) =>
        element("li", { class: "pill", "aria-current": at === next ? "step" : null }, stepText(step)),
      ),
    ),
    element(
      "div",
      { class: "knob-actions" },
      ...actions.map(([label, run]) =>
        button(
          { class: "small-button", "data-key": `${label} ${name}`, "aria-label": `${label}: ${name}` },
          run,
          label,
        ),
      ),
    ),
    requests.length === 0
      ? element("p", { class: "soft" }, "It has received nothing yet.")
      : element(
          "ol",
          { class: "receiver-requests", "aria-label": "Requests, newest first" },
          ...requests.map(requestView),
        ),
  );
}

/** A step in a few words: `503 × 3`, `200 after 8 s`. */
function stepText({ status, delay_ms: delay, drop, times, retry_after: retryAfter }: ReceiverStep): string {
  return [
    drop ? "Cuts the connection" : String(status),
    times > 1 ? `× ${times}` : "",
    delay > 0 ? `after ${delay / 1000} s` : "",
    retryAfter === null ? "" : `Retry-After ${retryAfter} s`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
