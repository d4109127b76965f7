import { drawThread, element } from "./thread.js";

const at = (id) => document.getElementById(id);
const connectionNames = {
  instagram_login: "Instagram Login",
  instagram_page: "Instagram via Page",
  messenger: "Messenger",
};
const hour = 3_600_000;

let state = null;
let chosen = readHash();

function readHash() {
  const [account = "", person = ""] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return { account, person };
}

function choose(account, person) {
  chosen = { account, person };
  history.replaceState(null, "", `#${encodeURIComponent(account)}/${encodeURIComponent(person)}`);
  showProblem(null);
  draw();
  at("scroll").scrollTop = at("scroll").scrollHeight;
}

async function ask(path, body) {
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`/_sim${path}`, { ...request, headers: { "Content-Type": "application/json" } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

function showProblem(problem) {
  at("problem").hidden = problem === null;
  at("problem").textContent = problem ?? "";
}

/** The selected account, person and thread. Falls back to the first ones. */
function scene() {
  const account = state.accounts.find(({ key }) => key === chosen.account) ?? state.accounts[0];
  const people = state.people.filter((person) => person.account === account?.key);
  const person = people.find(({ id }) => id === chosen.person) ?? people[0];
  const thread = state.threads.find((one) => one.account === account?.key && one.person === person?.id);
  return { account, people, person, thread };
}

function choice({ id, picture, title, detail, pressed }, pick) {
  const image = element("img");
  image.src = `/media/${picture}.png`;
  image.alt = "";
  const words = element("span", "words", element("span", "", title), element("span", "soft", detail));
  const button = element("button", "", image, words);
  button.type = "button";
  button.dataset.id = id;
  button.setAttribute("aria-pressed", String(pressed));
  button.addEventListener("click", pick);
  return element("li", "", button);
}

/** Replaces a list of choices only if it changed, and preserves the keyboard focus. */
function drawChoices(list, shape, items) {
  if (list.dataset.shape === shape) return;
  list.dataset.shape = shape;
  const held = list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  const left = list.scrollLeft;
  list.replaceChildren(...items());
  list.scrollLeft = left;
  if (held) list.querySelector(`[data-id="${CSS.escape(held)}"]`)?.focus();
}

function drawSide({ account, people, person }) {
  drawChoices(at("accounts"), JSON.stringify([state.accounts, account?.key]), () =>
    state.accounts.map((one) =>
      choice(
        {
          id: one.key,
          picture: one.key.replace(":", "-"),
          title: one.displayName,
          detail: connectionNames[one.connection],
          pressed: one === account,
        },
        () => choose(one.key, ""),
      ),
    ),
  );
  drawChoices(at("people"), JSON.stringify([people, person?.id]), () =>
    people.map((one) =>
      choice(
        {
          id: one.id,
          picture: one.id,
          title: one.name,
          detail: one.username ? `@${one.username}` : one.id,
          pressed: one === person,
        },
        () => choose(account.key, one.id),
      ),
    ),
  );
}

function windowText(thread) {
  if (!thread?.lastInboundAt) return ["", false];
  const now = Date.now() + state.clock_offset_ms;
  const left = thread.lastInboundAt + 24 * hour - now;
  if (left < 0) {
    const human = thread.lastInboundAt + 7 * 24 * hour - now;
    return [human < 0 ? "Window closed" : "Human agent window open", false];
  }
  return [`Window open: ${Math.floor(left / hour)} h ${Math.floor((left % hour) / 60_000)} min`, true];
}

function drawHead({ account, person, thread }) {
  at("talk-title").textContent = account?.displayName ?? "Conversation";
  at("talk-account").textContent = account
    ? `${connectionNames[account.connection]} · @${account.handle}${person ? ` · as ${person.name}` : ""}`
    : "No connected account";
  const [text, open] = windowText(thread);
  if (at("window").textContent !== text) at("window").textContent = text;
  at("window").classList.toggle("open", open);
}

function drawThreadOf({ account, person, thread }) {
  const scroll = at("scroll");
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const messages = thread?.messages ?? [];
  const names = { person: person?.name ?? "Person", account: account?.displayName ?? "Account" };
  const view = { key: `${account?.key}/${person?.id}`, messages, names };
  drawThread(at("thread"), view, (mid, emoji) => act({ kind: "reaction", mid, emoji }));
  at("empty").hidden = messages.length > 0;
  at("empty").textContent = person
    ? `No messages yet. Write to ${names.account} as ${person.name}.`
    : "Add a person, then write as them.";
  if (atEnd) scroll.scrollTop = scroll.scrollHeight;
}

function drawComposer({ account, person, thread }) {
  const label = person ? `Write as ${person.name}` : "Add a person first";
  at("text").placeholder = label;
  at("text-label").textContent = label;
  for (const id of ["text", "image", "kind", "send"]) at(id).disabled = !person;
  at("react").disabled = !thread?.messages.length;
  for (const option of at("kind").options) {
    const on = option.dataset.on;
    option.hidden = option.disabled = Boolean(on) && (on === "messenger") !== (account?.connection === "messenger");
  }
}

function drawStatus() {
  const waiting = state.pending.length;
  const parts = [
    waiting === 0 ? "All webhooks delivered" : `${waiting} ${waiting === 1 ? "webhook" : "webhooks"} waiting`,
  ];
  if (state.fault.mode !== "none") parts.push(`fault: ${state.fault.mode}`);
  if (state.clock_offset_ms !== 0) parts.push(`clock ${(state.clock_offset_ms / hour).toFixed(1)} h`);
  status(parts.join(" · "), waiting > 0);
  at("deliver").hidden = waiting === 0;
}

function status(text, waiting) {
  if (at("webhooks").textContent !== text) at("webhooks").textContent = text;
  at("webhooks").parentElement.classList.toggle("waiting", waiting);
}

function draw() {
  if (state === null) return;
  const now = scene();
  drawSide(now);
  drawHead(now);
  drawThreadOf(now);
  drawComposer(now);
  drawStatus();
}

async function refresh() {
  const answer = await ask(`/state?since=${state?.version ?? 0}`);
  if (!answer.unchanged) state = answer;
  draw();
}

/** Performs an action as the selected person. The thread shows it before the webhook is answered. */
async function act(action) {
  const { account, person } = scene();
  if (!account || !person) return false;
  const about = { account: account.externalId, connection: account.connection, person: person.id };
  try {
    const done = ask("/person-sends", { ...about, ...action });
    setTimeout(() => refresh().catch(() => {}), 60);
    await done;
    showProblem(null);
    await refresh();
    return true;
  } catch (error) {
    showProblem(error.message);
    return false;
  }
}

async function sendText() {
  const text = at("text").value.trim();
  if (text === "") return;
  at("text").value = "";
  if (!(await act({ text })) && at("text").value === "") at("text").value = text;
}

async function addPerson() {
  const name = at("name").value.trim();
  const { account } = scene();
  if (name === "" || !account) return;
  try {
    const person = await ask("/people", { account: account.externalId, connection: account.connection, name });
    at("name").value = "";
    await refresh();
    choose(account.key, person.id);
    at("text").focus();
  } catch (error) {
    showProblem(error.message);
  }
}

at("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  void sendText();
});
at("new-person").addEventListener("submit", (event) => {
  event.preventDefault();
  void addPerson();
});
at("text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void sendText();
});
at("image").addEventListener("click", () => act({ kind: "image" }));
at("react").addEventListener("click", () => act({ kind: "reaction" }));
at("kind").addEventListener("change", () => {
  const kind = at("kind").value;
  at("kind").value = "";
  if (kind !== "") void act({ kind });
});
at("deliver").addEventListener("click", () =>
  ask("/deliver-now", {}).then(refresh, (error) => showProblem(error.message)),
);

async function poll() {
  try {
    await refresh();
  } catch {
    status("No response from the simulator", true);
  }
  setTimeout(poll, 1000);
}
void poll();
