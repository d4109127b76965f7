import type { Person } from "../world/model.ts";
import { call } from "./api.ts";
import { connectionNames } from "./connection-names.ts";
import { byId, replaceChildren, setText } from "./dom.ts";
import { attachMenu, type MenuEntry } from "./menu.ts";
import { notifyProblem } from "./notices.ts";
import { avatar } from "./people-list.ts";
import { currentScene, refresh, type Scene, showScreen, target } from "./store.ts";
import { windowState } from "./thread.ts";

export function drawThreadHead({ account, person, thread }: Scene): void {
  replaceChildren(byId("talk-avatar"), [person?.id, person?.name], () => [
    person ? avatar(person.name, person.id) : null,
  ]);
  setText(byId("talk-title"), person?.name ?? "No person");
  const about = account ? `to ${account.displayName} on ${connectionNames[account.connection]}` : "";
  setText(byId("talk-account"), about);
  const state = windowState(thread);
  setText(byId("window"), state?.text ?? "");
  byId("window").classList.toggle("open", state?.open === true);
  (byId("person-menu") as HTMLButtonElement).disabled = person === undefined;
  document.body.dataset.platform = account?.connection === "messenger" ? "messenger" : "instagram";
}

function edit(fields: Partial<Person>): void {
  const scene = currentScene();
  if (scene === null) return;
  call("/people", { ...target(scene), ...fields }).then(() => refresh(), notifyProblem);
}

function personEntries(): MenuEntry[] {
  const person = currentScene()?.person;
  if (person === undefined) return [];
  const { blocked, standby = false, role = true, profile } = person;
  return [
    { heading: "This person" },
    { label: "Blocks the business", checked: blocked, run: () => edit({ blocked: !blocked }) },
    { label: "Has no role in the app", checked: !role, run: () => edit({ role: !role }) },
    { label: "Has no readable profile", checked: !profile, run: () => edit({ profile: !profile }) },
    "divider",
    { heading: "This thread" },
    { label: "Another app controls it (standby)", checked: standby, run: () => edit({ standby: !standby }) },
  ];
}

export function connectThreadHead(): void {
  byId("talk-back").addEventListener("click", () => {
    showScreen("list");
    document.querySelector<HTMLElement>('.contact[aria-current="true"]')?.focus();
  });
  attachMenu(byId("person-menu") as HTMLButtonElement, { label: "Person and thread", entries: personEntries });
}
