/** One row of a transition table: the state before, the trigger, the state after. */
export type Transition<Trigger extends string> = readonly [from: string, trigger: Trigger, to: string, ...unknown[]];

export interface TriggerText {
  /** The arrow's label, in a few words. */
  readonly label: string;
  /** One sentence for the table below the picture. */
  readonly meaning: string;
}

export type TriggerTexts<Trigger extends string> = Readonly<Record<Trigger, TriggerText>>;

/**
 * A Mermaid state diagram of a transition table, and a Markdown table of its triggers.
 * @param transitions `none` as the state before stands for an item that does not exist yet
 */
export function stateDiagram<Trigger extends string>(
  transitions: readonly Transition<Trigger>[],
  texts: TriggerTexts<Trigger>,
): string {
  const arrows = new Map<string, string[]>();
  for (const [from, trigger, to] of transitions) {
    const arrow = `${from === "none" ? "[*]" : from} --> ${to}`;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), texts[trigger].label]);
  }
  const sources = new Set(transitions.map(([from]) => from));
  const finalStates = [...new Set(transitions.map(([, , to]) => to))].filter((state) => !sources.has(state));
  const triggers = [...new Set(transitions.map(([, trigger]) => trigger))];
  return [
    "```mermaid",
    "stateDiagram-v2",
    ...[...arrows].map(([arrow, labels]) => `  ${arrow}: ${labels.join(", ")}`),
    ...finalStates.map((state) => `  ${state} --> [*]`),
    "```",
    "",
    "| Trigger | Meaning |",
    "|---|---|",
    ...triggers.map((trigger) => `| ${texts[trigger].label} | ${texts[trigger].meaning} |`),
  ].join("\n");
}
