/** A description, of a value of an enumeration with what each value means. */
export type Text = string | { readonly text: string; readonly values: Readonly<Record<string, string>> };

/**
 * Descriptions by what they describe:
 * - `Message`: a schema, `Message.attachments[].url`: a field of it
 * - `sendReply`: an operation, `sendReply?force`: a parameter of its query
 * - `/v1/webhooks/{id}`: the last parameter of this path, for every operation below it
 * - `message.sent`: an event
 */
export type Texts = Readonly<Record<string, Text>>;

/** A description of a field that has one of a few values. */
export function oneOf(text: string, values: Readonly<Record<string, string>>): Text {
  return { text, values };
}

/** The text as Markdown, with a list of the values. */
export function toMarkdown(text: Text): string {
  if (typeof text === "string") return text;
  const values = Object.entries(text.values).map(([value, meaning]) => `- \`${value}\`: ${meaning}`);
  return `${text.text}\n\n${values.join("\n")}`;
}
