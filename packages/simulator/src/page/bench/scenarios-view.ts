import { call, type RunStatus } from "../api.ts";
import { button, element } from "../dom.ts";
import { notify, notifyProblem } from "../notices.ts";
import { refresh, type Scene, showPerson, showScreen } from "../store.ts";
import { type BenchView, closeBench } from "./bench-frame.ts";

interface ReadyScenario {
  name: string;
  title: string;
  description: string;
  platform: "instagram" | "messenger" | "any";
  person: string;
}

interface ScenarioAnswer {
  state: string;
  account: string;
  connection: string;
  person: string;
}

const platformNames = { instagram: "Instagram only", messenger: "Messenger only", any: "" };

export const scenariosView = {
  title: "Scenarios",
  text: "What people, the business and the platform do in sequence.",
  read: () => call<{ scenarios: ReadyScenario[] }>("/scenarios"),
  render({ scenarios }: { scenarios: ReadyScenario[] }, scene: Scene): HTMLElement[] {
    const { scenario: run } = scene.state;
    const isRunning = run?.state === "running";
    return [
      ...(run === null ? [] : [runView(run)]),
      element("ul", { class: "bench-rows" }, ...scenarios.map((one) => scenarioRow(one, scene, isRunning))),
    ];
  },
} satisfies BenchView;

function runView(run: RunStatus): HTMLElement {
  const { title, state, done, of, problem } = run;
  const stop = (): void => void call("/stop-scenario", {}).then(() => refresh(), notifyProblem);
  return element(
    "div",
    { class: "bench-run", role: "status" },
    element("p", {}, `${title}: ${state}, ${done} of ${of}.`, problem === null ? "" : ` ${problem}`),
    state === "running" ? button({ class: "small-button", "data-key": "stop scenario" }, stop, "Stop") : null,
  );
}

function scenarioRow(scenario: ReadyScenario, scene: Scene, isRunning: boolean): HTMLElement {
  const { name, title, description, platform } = scenario;
  return element(
    "li",
    { class: "bench-row" },
    element(
      "div",
      { class: "words" },
      element("h3", {}, title, " ", element("span", { class: "pill" }, platformNames[platform])),
      element("p", { class: "soft" }, description),
    ),
    button(
      {
        class: "small-button",
        "data-key": `run ${name}`,
        "aria-label": `Run ${title}`,
        disabled: isRunning,
      },
      () => run(scenario, scene),
      "Run",
    ),
  );
}

/** Runs the scenario on the selected account, if it is of its platform, and then shows who wrote. */
function run({ name, title, platform }: ReadyScenario, { account }: Scene): void {
  const isMessenger = account?.connection === "messenger";
  const isFit = account !== undefined && (platform === "any" || isMessenger === (platform === "messenger"));
  const target = isFit ? { account: account.externalId, connection: account.connection } : {};
  const answer = call<ScenarioAnswer>("/scenarios", { name, ...target });
  setTimeout(() => void refresh().catch(() => {}), 80);
  answer.then(showResult(title), (error: unknown) => {
    void refresh();
    notifyProblem(error);
  });
}

function showResult(title: string): (answer: ScenarioAnswer) => Promise<void> {
  return async ({ state, account, connection, person: name }) => {
    const { people } = await refresh();
    closeBench();
    const person = people.find((one) => one.account === `${connection}:${account}` && one.name === name);
    if (person !== undefined) {
      showPerson(person);
      showScreen("thread");
    }
    notify(`${title}: ${state}.`);
  };
}
