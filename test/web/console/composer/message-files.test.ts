import { expect, it } from "vitest";
import { type Chip, isWaiting } from "../../../../web/console/inbox/composer/composer-store.ts";
import { CONVERSATION, openComposer } from "./support.ts";

const states = {
  converting: { kind: "converting" },
  uploading: { kind: "uploading", progress: 0.5 },
  checking: { kind: "checking" },
  ready: { kind: "ready", attachmentId: "att_1" },
  refused: { kind: "refused", reason: "The file is empty.", mayBeFile: false },
} as const;

function chip(state: keyof typeof states): Chip {
  const kind = state === "converting" || state === "refused" ? null : "image";
  return { id: state, name: `${state}.webp`, kind, preview: null, isConverted: false, state: states[state] };
}

it("a message waits for every file that is neither ready nor refused, also for a picture that becomes a JPEG", () => {
  const names = Object.keys(states) as (keyof typeof states)[];
  expect(names.filter((name) => isWaiting(chip(name)))).toEqual(["converting", "uploading", "checking"]);
});

it("a send takes the files that are ready and leaves all others where they are", () => {
  const { store } = openComposer();
  store.setChips(CONVERSATION, () => [chip("converting"), chip("ready"), chip("refused"), chip("uploading")]);
  expect(store.takeFiles(CONVERSATION)).toEqual([
    { type: "image", attachmentId: "att_1", name: "ready.webp", preview: null },
  ]);
  expect(store.getState().chips.get(CONVERSATION)).toEqual([chip("converting"), chip("refused"), chip("uploading")]);
  expect(store.takeFiles(CONVERSATION)).toEqual([]);
});
