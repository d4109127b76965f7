import { call } from "./api.ts";
import { subscribeAgain } from "./connection-dialog.ts";
import { byId, element, replaceChildren, setText } from "./dom.ts";
import { attachMenu, type MenuEntry } from "./menu.ts";
import { notify, notifyProblem } from "./notices.ts";
import { currentScene, now, refresh, type Scene } from "./store.ts";
import { formatDayTime, formatDuration, formatTime } from "./times.ts";

const hour = 3_600_000;
const advances: [label: string, ms: number][] = [
  ["1 hour", hour],
  ["24 hours", 24 * hour],
  ["7 days", 7 * 24 * hour],
];

const faultGroups: [heading: string, faults: [mode: string, label: string][]][] = [
  [
    "The send is refused",
    [
      ["rate_limited", "Rate limit"],
      ["outside_window", "Outside the window"],
      ["person_unavailable", "Person unavailable"],
      ["restricted", "Account restricted"],
      ["thread_owner", "Another app controls the thread"],
      ["no_human_agent", "No human agent permission"],
      ["fetch_failed", "Attachment cannot be fetched"],
    ],
  ],
  [
    "The token is refused",
    [
      ["expired", "Token expired"],
      ["token_revoked", "Password changed"],
      ["app_removed", "App removed"],
      ["permission", "Permission missing"],
    ],
  ],
  [
    "The answer gets lost",
    [
      ["5xx", "Server error"],
      ["hang", "No answer"],
      ["hang_after_accept", "No answer, but sent"],
      ["reset_after_accept", "Connection cut, but sent"],
    ],
  ],
  [
    "Echoes",
    [
      ["echo_first", "Echo before the answer"],
      ["no_echo", "No echo"],
    ],
  ],
];

/** What a fault applies to, where it is not the sends. */
const faultTargets: Record<string, string> = {
  calls: " (all calls)",
  logins: " (logins)",
  accounts: " (account calls)",
};
const faultLabels = new Map(faultGroups.flatMap(([, faults]) => faults));
let onlyNext = true;

function advance(label: string, ms: number): void {
  notify(`Advancing the clock by ${label}…`);
  call("/clock", { advance_ms: ms }).then(
    () => refresh().then(() => notify(`It is ${formatDayTime(now())} now.`)),
    notifyProblem,
  );
}

function setFault(mode: string): void {
  call("/faults", { mode, ...(onlyNext && mode !== "none" ? { for: 1 } : {}) }).then(() => refresh(), notifyProblem);
}

function faultEntries(): MenuEntry[] {
  const active = currentScene()?.state.fault.mode ?? "none";
  return [
    { label: "No fault", checked: active === "none", radio: true, run: () => setFault("none") },
    {
      label: "For the next send only",
      checked: onlyNext,
      run: () => {
        onlyNext = !onlyNext;
        if (active !== "none") setFault(active);
      },
    },
    ...faultGroups.flatMap(([heading, faults]): MenuEntry[] => [
      "divider",
      { heading },
      ...faults.map(([mode, label]) => ({ label, checked: active === mode, radio: true, run: () => setFault(mode) })),
    ]),
  ];
}

export function drawToolbar({ state, account }: Scene): void {
  drawClock();
  const { mode, on, left } = state.fault;
  const fault =
    mode === "none"
      ? "No fault"
      : `${faultLabels.get(mode) ?? mode}${faultTargets[on] ?? ""}${left === null ? "" : `, ${left} left`}`;
  setText(byId("fault-text"), fault);
  byId("faults").classList.toggle("active", mode !== "none");
  const waiting = state.pending.length;
  const since = Object.values(state.failing).toSorted((a, b) => a - b)[0];
  const failing = since === undefined ? "" : ` since ${formatTime(since)}`;
  const areOff = state.accounts.some(({ pageId, externalId }) => state.ended[pageId ?? externalId] !== undefined);
  const idle = areOff ? "A subscription is off" : "Accepted by the app";
  const text = waiting === 0 ? idle : `${waiting} ${waiting === 1 ? "webhook waits" : "webhooks wait"}${failing}`;
  setStatus(text, waiting === 0 && !areOff ? "good" : "warn");
  byId("retry").hidden = waiting === 0;

  const node = account?.pageId ?? account?.externalId ?? "";
  const isOff = account !== undefined && state.subscriptions[node] === undefined;
  const ended = state.ended[node];
  const start = state.failing[node];
  replaceChildren(
    byId("banner-text"),
    [isOff, ended, start === undefined ? null : [start, Math.floor(now() / 60_000)]],
    () => {
      if (isOff && ended !== undefined) {
        return [
          element("b", {}, "The subscription ended. "),
          `No webhook of ${account?.displayName} was taken for an hour, so the platform sends none since ${formatTime(ended)}.`,
        ];
      }
      if (isOff) return [`The app is not subscribed to ${account?.displayName}.`];
      if (start === undefined) return [];
      return [
        element("b", {}, "The app does not accept the webhooks. "),
        `The platform ends the subscription in ${formatDuration(start + hour - now())}.`,
      ];
    },
  );
  byId("banner").hidden = !isOff && start === undefined;
  byId("subscribe").hidden = !isOff;
}

/** The simulated time goes on between two changes of the state. */
export function drawClock(): void {
  const scene = currentScene();
  if (scene === null) return;
  setText(byId("clock-text"), formatDayTime(now()));
  const offset = scene.state.clock_offset_ms;
  setText(byId("clock-offset"), offset < 60_000 ? "" : `+${formatDuration(offset)}`);
}

export function setStatus(text: string, kind: "good" | "warn"): void {
  setText(byId("webhooks"), text);
  byId("status").dataset.kind = kind;
}

export function connectToolbar(): void {
  attachMenu(byId("clock") as HTMLButtonElement, {
    label: "Advance the clock",
    entries: () => [
      { heading: "Advance every clock by" },
      ...advances.map(([label, ms]) => ({ label, run: () => advance(label, ms) })),
    ],
  });
  attachMenu(byId("faults") as HTMLButtonElement, { label: "Faults of the platform", entries: faultEntries });
  byId("retry").addEventListener("click", () => void call("/deliver-now", {}).then(() => refresh(), notifyProblem));
  byId("subscribe").addEventListener("click", () => {
    const account = currentScene()?.account;
    if (account !== undefined) subscribeAgain(account);
  });
}
