import { call, type Receiver } from "../api.ts";
import { element, setText } from "../dom.ts";
import { notify } from "../notices.ts";
import { updateBench } from "./bench-frame.ts";

/** Scripts to begin with. */
const scripts: [label: string, steps: object[]][] = [
  ["Fails three times, then accepts", [{ status: 503, times: 3 }, { status: 200 }]],
  ["Accepts everything", [{ status: 200 }]],
  ["Fails always", [{ status: 500 }]],
  ["Answers after 8 seconds", [{ status: 200, delay_ms: 8000 }]],
  ["Asks for a pause, then accepts", [{ status: 429, retry_after: 60, times: 2 }, { status: 200 }]],
  ["Cuts the connection twice, then accepts", [{ drop: true, times: 2 }, { status: 200 }]],
  ["Is gone", [{ status: 410 }]],
];

/** What is typed stays when the view is rendered again. */
let form: HTMLElement | null = null;

/** The form that adds a receiver, or changes the steps of one with that name. */
export function receiverForm(): HTMLElement {
  form ??= createForm();
  return form;
}

const toText = (steps: object[]): string => `[\n${steps.map((step) => `  ${JSON.stringify(step)}`).join(",\n")}\n]`;

function createForm(): HTMLElement {
  const name = element("input", {
    id: "receiver-name",
    required: true,
    maxlength: "40",
    pattern: "[a-z0-9][a-z0-9\\-]*",
    placeholder: "shop",
    spellcheck: "false",
  });
  const script = element(
    "select",
    { id: "receiver-script" },
    ...scripts.map(([label]) => element("option", {}, label)),
  );
  const steps = element("textarea", { id: "receiver-steps", rows: "4", spellcheck: "false" });
  const secret = element("input", { id: "receiver-secret", spellcheck: "false", maxlength: "200" });
  const problem = element("p", { class: "knob-bad", role: "status" });
  steps.value = toText(scripts[0]?.[1] ?? []);
  script.addEventListener("change", () => {
    steps.value = toText(scripts[script.selectedIndex]?.[1] ?? []);
  });
  const created = element(
    "form",
    { class: "knob", autocomplete: "off", "aria-labelledby": "receiver-form-title" },
    element("h3", { id: "receiver-form-title" }, "Add a receiver, or change one"),
    element("label", { for: "receiver-name" }, "Name: lowercase letters, digits and hyphens"),
    name,
    element("label", { for: "receiver-script" }, "Script"),
    script,
    element("label", { for: "receiver-steps" }, "Steps as JSON. The last one applies to all further requests"),
    steps,
    element("label", { for: "receiver-secret" }, "Signing secret, to verify what it receives (optional)"),
    secret,
    problem,
    element(
      "div",
      { class: "dialog-actions" },
      element("button", { type: "submit", class: "primary" }, "Save the receiver"),
    ),
  );
  created.addEventListener("submit", (event) => {
    event.preventDefault();
    setText(problem, "");
    save({ name: name.value.trim(), steps: steps.value, secret: secret.value.trim() }).then(
      async (receiver) => {
        name.value = "";
        secret.value = "";
        notify(`The receiver ${receiver.name} is at ${receiver.url}.`);
        await updateBench();
      },
      (error: Error) => setText(problem, error.message),
    );
  });
  return created;
}

async function save({ name, steps, secret }: { name: string; steps: string; secret: string }): Promise<Receiver> {
  const stepList = steps.trim() === "" ? undefined : (JSON.parse(steps) as unknown);
  return call<Receiver>("/receivers", { name, steps: stepList, ...(secret === "" ? {} : { secret }) });
}
