import { expect, it } from "vitest";
import { breakerStates } from "#features/delivery/rules/breaker.ts";
import { deliveryStatuses } from "#features/delivery/rules/deliveries.ts";
import { holdStatuses } from "#features/holds/rules/holds.ts";
import { uploadStatuses } from "#features/uploads/rules/uploads.ts";
import { endpointStatuses } from "#features/webhooks/rules/endpoints.ts";
import { stateDiagram } from "../../bin/docs/state-diagram.ts";
import { statesPage } from "../../bin/docs/states.ts";
import { readPage } from "./markdown.ts";

const diagram = stateDiagram(
  [
    ["none", "create", "open"],
    ["open", "touch", "open"],
    ["open", "finish", "done"],
    ["open", "expire", "done"],
  ],
  {
    create: { label: "create", meaning: "It is created." },
    touch: { label: "touch", meaning: "It is used." },
    finish: { label: "finish", meaning: "It is finished." },
    expire: { label: "expires", meaning: "Its time is over." },
  },
);

it("a state diagram has one arrow per pair of states, with every trigger's label", () => {
  expect(diagram.split("```")[1]).toBe(
    [
      "mermaid",
      "stateDiagram-v2",
      "  [*] --> open: create",
      "  open --> open: touch",
      "  open --> done: finish, expires",
      "  done --> [*]",
      "",
    ].join("\n"),
  );
});

it("a state diagram is followed by the meaning of every trigger", () => {
  expect(diagram).toContain("| finish | It is finished. |\n| expires | Its time is over. |");
});

const page = statesPage();

it("docs/design/states.md matches the code", () => {
  expect(readPage("docs/design/states.md")).toBe(page);
});

it.each([...deliveryStatuses, ...holdStatuses, ...uploadStatuses, ...endpointStatuses, ...breakerStates])(
  "docs/design/states.md shows the state %s",
  (state) => {
    expect(page).toMatch(new RegExp(`^ {2}.*\\b${state}\\b.*-->|--> ${state}\\b`, "m"));
  },
);
