import type { BatchGetItemInput, BatchWriteItemInput, KeysAndAttributes, WriteRequest } from "@aws-sdk/client-dynamodb";
import type { SendMessageBatchRequest } from "@aws-sdk/client-sqs";
import { unmarshall } from "@aws-sdk/util-dynamodb";

export interface HandlerArguments {
  readonly input: unknown;
  readonly request: unknown;
}

export type Handler = (args: HandlerArguments) => Promise<{ readonly response: unknown; readonly output: object }>;

/** A batch in two parts: the part that is served, and what the response says about the other. */
interface Halves {
  readonly served: object;
  readonly rest: object;
}

/** Whether the service may serve a part of the operation. */
export function hasParts(command: string): boolean {
  return command in halves;
}

/**
 * Sends the first half of a batch. A batch of one is served whole.
 * @param isDocument whether a document client sent it: its output has plain values at this point, its input typed ones
 * @returns the response with the second half as unprocessed (DynamoDB) or failed (SQS)
 * @throws Error for an operation without parts
 */
export async function sendFirstHalf(
  { command, isDocument }: { readonly command: string; readonly isDocument: boolean },
  args: HandlerArguments,
  next: Handler,
) {
  const halve = halves[command];
  if (!halve) throw new Error(`${command} has no parts: inject another fault.`);
  const { served, rest } = halve(args.input as never);
  const result = await next({ ...args, input: served, request: withInput(args.request, served) } as HandlerArguments);
  return { ...result, output: { ...result.output, ...(isDocument ? toPlain(rest) : rest) } } as never;
}

/** Replaces each item and key by its plain values. */
function toPlain(rest: object): object {
  return JSON.parse(JSON.stringify(rest), (name, part) => {
    if (name === "Keys") return part.map(unmarshall);
    return name === "Item" || name === "Key" ? unmarshall(part) : part;
  });
}

const halves: Readonly<Record<string, (input: never) => Halves>> = {
  BatchGetItem: (input: BatchGetItemInput) => {
    const parts = splitTables<KeysAndAttributes>(input.RequestItems ?? {}, (table, keep) => ({
      ...table,
      Keys: keep(table.Keys ?? []),
    }));
    const hasRest = Object.values(parts.rest).some(({ Keys = [] }) => Keys.length > 0);
    return {
      served: { ...input, RequestItems: parts.served },
      rest: { UnprocessedKeys: hasRest ? parts.rest : {} },
    };
  },
  BatchWriteItem: (input: BatchWriteItemInput) => {
    const parts = splitTables<WriteRequest[]>(input.RequestItems ?? {}, (requests, keep) => keep(requests));
    const hasRest = Object.values(parts.rest).some((requests) => requests.length > 0);
    return {
      served: { ...input, RequestItems: parts.served },
      rest: { UnprocessedItems: hasRest ? parts.rest : {} },
    };
  },
  SendMessageBatch: (input: SendMessageBatchRequest) => {
    const entries = input.Entries ?? [];
    const failed = secondHalf(entries).map(({ Id }) => ({ Id, Code: "InternalError", SenderFault: false }));
    return { served: { ...input, Entries: firstHalf(entries) }, rest: { Failed: failed } };
  },
};

function splitTables<T>(
  tables: Readonly<Record<string, T>>,
  part: (table: T, keep: <E>(elements: readonly E[]) => E[]) => T,
): { served: Record<string, T>; rest: Record<string, T> } {
  const map = (keep: <E>(elements: readonly E[]) => E[]) =>
    Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, part(table, keep)]));
  return { served: map(firstHalf), rest: map(secondHalf) };
}

function firstHalf<E>(elements: readonly E[]): E[] {
  return elements.slice(0, Math.ceil(elements.length / 2));
}

function secondHalf<E>(elements: readonly E[]): E[] {
  return elements.slice(Math.ceil(elements.length / 2));
}

/** The request of an SDK client over HTTP has a JSON body; one of `inProcessSettings` has the input. */
function withInput(request: unknown, input: object): unknown {
  const { body, headers } = request as { body?: string | Uint8Array; headers?: Record<string, string> };
  if (body === undefined) return Object.assign({}, request, { input });
  // Typed attribute values may hold bytes, so the halved input cannot be serialized here: the body is halved itself.
  // Not with `Buffer.from`: it reads the SDK's body as a string, of which the SDK warns.
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const halved = JSON.stringify(halveBody(JSON.parse(text)));
  const clone = Object.assign(Object.create(Object.getPrototypeOf(request)), request);
  return Object.assign(clone, {
    body: Buffer.from(halved),
    headers: { ...headers, "content-length": String(Buffer.byteLength(halved)) },
  });
}

function halveBody(body: Record<string, unknown>): object {
  const command = body.Entries ? "SendMessageBatch" : isKeysRequest(body) ? "BatchGetItem" : "BatchWriteItem";
  return halves[command]?.(body as never).served ?? body;
}

function isKeysRequest(body: Record<string, unknown>): boolean {
  return Object.values(body.RequestItems ?? {}).some((table) => !Array.isArray(table));
}
