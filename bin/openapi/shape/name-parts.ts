import type { Json } from "#http/openapi/schemas.ts";

/** The values that several schemas have: the name of each list, and one place that has it. */
const valueParts: Readonly<Record<string, string>> = {
  Platform: "Message.platform",
  EventType: "Delivery.event_type",
  MessageDirection: "Message.direction",
  SentVia: "Message.sent_via",
  AttachmentType: "Message.attachments[].type",
  MediaType: "Upload.type",
  ChangeAuthor: "Message.reactions[].by",
  ProfileState: "Conversation.participant_profile",
  WindowState: "Conversation.window.state",
  AccountStatus: "Account.status",
  DeliveryStatus: "Delivery.status",
  AttemptError: "Delivery.last_error",
  EndpointStatus: "Endpoint.status",
  HoldStatus: "Hold.status",
  UploadStatus: "Upload.status",
  KeyScope: "Key.scope",
  Role: "Member.role",
  TenantStatus: "Tenant.status",
  Language: "Tenant.language",
  AuditAction: "AuditEntry.action",
  Activity: "PresenceFrame.state",
};

/**
 * The objects that several schemas contain: the name of each, and one place that has it. A place is the name of a schema
 * or of an operation's `data`, and then the fields. The inner parts come first.
 */
const objectParts: Readonly<Record<string, string>> = {
  Coordinates: "Message.attachments[].coordinates",
  Attachment: "Message.attachments[]",
  Reaction: "Message.reactions[]",
  Participant: "MessageReceivedEvent.data.message.participant",
  EventMessage: "MessageReceivedEvent.data.message",
  FailedMessage: "MessageFailedEvent.data.message",
  MessageEventData: "MessageReceivedEvent.data",
  EventAccount: "AccountConnectedEvent.data.account",
  AccountEventData: "AccountConnectedEvent.data",
  OutcomeError: "EndedHold.error",
  StatsEndpoint: "StatsHour.endpoints[]",
  RemovedCounts: "eraseConversation.removed",
  RealtimeTicket: "createRealtimeTicket",
  IssuedEndpoint: "createWebhook",
};

/**
 * The document in which each shared object is a component, and every place that has it a reference. Generators then make
 * one type of it.
 */
export function nameParts(document: Json): Json {
  const parts = { ...valueParts, ...messageParts(document), ...objectParts };
  return Object.entries(parts).reduce(nameOne, document);
}

/** The objects that a message may have, such as its story, each named as its field. Events have them as well. */
function messageParts(document: Json): Record<string, string> {
  const { schemas } = document.components as { readonly schemas: Record<string, Json> };
  const fields = Object.entries((schemas.Message?.properties ?? {}) as Record<string, Json>);
  const objects = fields.filter(([, field]) => withoutNull(field).type === "object").map(([name]) => name);
  return Object.fromEntries(objects.map((name) => [toTypeName(name), `Message.${name}`]));
}

/** `PageId` of `page_id`. */
function toTypeName(field: string): string {
  return field.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
}

function nameOne(document: Json, [name, place]: [string, string]): Json {
  const { schemas } = document.components as { readonly schemas: Json };
  const part = schemaAt(document, place);
  if (part === null) throw new Error(`The document has no ${place}, of which the schema ${name} is made.`);
  if (schemas[name] !== undefined) throw new Error(`The document already has a schema ${name}.`);
  const key = JSON.stringify(part);
  const fields = Object.keys(part).join();
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace);
    if (typeof node !== "object" || node === null) return node;
    const schema = open(node as Json);
    // The keywords alone distinguish most.
    if (Object.keys(schema).join() === fields && JSON.stringify(schema) === key)
      return { $ref: `#/components/schemas/${name}` };
    return Object.fromEntries(Object.entries(node).map(([field, value]) => [field, replace(value)]));
  };
  const replaced = replace(document) as Json & { readonly components: Json };
  return {
    ...replaced,
    components: { ...replaced.components, schemas: { ...(replaced.components.schemas as Json), [name]: part } },
  };
}

/** An event does not say that its objects have no other fields, as a response does not. */
function open({ additionalProperties, ...schema }: Json): Json {
  return additionalProperties === false || additionalProperties === undefined
    ? schema
    : { ...schema, additionalProperties };
}

function schemaAt(document: Json, place: string): Json | null {
  const [root = "", ...fields] = place.split(/\.|(?=\[\])/);
  const { schemas } = document.components as { readonly schemas: Record<string, Json> };
  const start = schemas[root] ?? schemas[dataName(root)];
  const schema = fields.reduce<Json | undefined>((node, field) => {
    const inner = field === "[]" ? node?.items : (node?.properties as Json | undefined)?.[field];
    return inner === undefined ? undefined : withoutNull(inner as Json);
  }, start);
  return schema === undefined ? null : open(schema);
}

/** What a nullable schema is otherwise. */
function withoutNull(schema: Json): Json {
  const choices = (schema.anyOf as Json[] | undefined)?.filter(({ type }) => type !== "null");
  return choices?.length === 1 ? (choices[0] as Json) : schema;
}

/** `ListConversationsData` of `listConversations`. */
export function dataName(operation: string): string {
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Data`;
}
