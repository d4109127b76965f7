import { describe, expect, it } from "vitest";
import { breakerStates } from "#features/delivery/rules/breaker.ts";
import { deliveryStatuses } from "#features/delivery/rules/deliveries.ts";
import { holdStatuses } from "#features/holds/rules/holds.ts";
import { uploadStatuses } from "#features/uploads/rules/uploads.ts";
import { endpointStatuses } from "#features/webhooks/rules/endpoints.ts";
import { stateDiagram } from "../../bin/docs/state-diagram.ts";
import { statesPage } from "../../bin/docs/states.ts";
import { readPage } from "./markdown.ts";

describe("a state diagram", () => {
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

  it("has one arrow per pair of states, with every trigger's label", () => {
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

  it("is followed by the meaning of every trigger", () => {
    expect(diagram).toContain("| finish | It is finished. |\n| expires | Its time is over. |");
  });
});

describe("docs/design/states.md", () => {
  const page = statesPage();

  it("matches the code", () => {
    expect(readPage("docs/design/states.md")).toBe(page);
  });

  it.each([...deliveryStatuses, ...holdStatuses, ...uploadStatuses, ...endpointStatuses, ...breakerStates])(
    "shows the state %s",
    (state) => {
      expect(page).toMatch(new RegExp(`^ {2}.*\\b${state}\\b.*-->|--> ${state}\\b`, "m"));
    },
  );
});
