import { eventCatalog } from "#features/webhooks/event-catalog.ts";

/** The Markdown page of the event types. */
export function eventsPage(): string {
  const catalog = eventCatalog();
  return `${[
    "# Event types",
    "<!-- Generated from the events of the features by `npm run openapi`. -->",
    "`GET /v1/event-types` returns the JSON Schema of each type, and `openapi.json` has it under `webhooks`.",
    "Ignore fields that you do not know: within an `api_version`, events only gain fields.",
    [
      "| Type | Sent when |",
      "|---|---|",
      ...catalog.map((entry) => `| \`${entry.type}\` | ${entry.description} |`),
    ].join("\n"),
    ...catalog.flatMap(({ type, description, example }) => [
      `## ${type}`,
      description,
      `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    ]),
  ].join("\n\n")}\n`;
}
