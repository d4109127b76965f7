// Attribute values of DynamoDB as JSON, without the objects in between: a plain value is written as text, and what
// `JSON.parse` made of an answer is replaced by plain values where it stands.
// Source: "DynamoDB low-level API" of the Developer Guide. The rules for types are those of @aws-sdk/util-dynamodb with
// `removeUndefinedValues`; of its types `NumberValue` is missing.

type Attributes = Record<string, unknown>;

/** The JSON of an item or a key. @throws Error for a value that no attribute can have */
export function writeItem(item: object): string {
  let text = "";
  if (item instanceof Map) {
    for (const [name, value] of item) text += writeEntry(name, value, text === "");
  } else {
    for (const name in item) text += writeEntry(name, (item as Attributes)[name], text === "");
  }
  return `{${text}}`;
}

function writeEntry(name: string, value: unknown, isFirst: boolean): string {
  if (value === undefined || typeof value === "function") return "";
  return `${isFirst ? "" : ","}${JSON.stringify(name)}:${writeValue(value)}`;
}

function writeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `{"S":${JSON.stringify(value)}}`;
    case "number":
    case "bigint":
      return `{"N":"${numberText(value)}"}`;
    case "boolean":
      return `{"BOOL":${value}}`;
    case "object":
      return writeObject(value);
    default:
      throw unsupported(value);
  }
}

function writeObject(value: object | null): string {
  if (value === null) return '{"NULL":true}';
  if (Array.isArray(value)) {
    const present = value.filter((each) => each !== undefined && typeof each !== "function");
    return `{"L":[${present.map(writeValue).join(",")}]}`;
  }
  if (value instanceof Set) return writeSet([...value].filter((each) => each !== undefined));
  const bytes = toBytes(value);
  if (bytes) return `{"B":"${bytes.toString("base64")}"}`;
  // An object of another class is probably a mistake, and its methods would be lost.
  const isPlain = value.constructor === undefined || value.constructor.name === "Object";
  if (isPlain || value instanceof Map) return `{"M":${writeItem(value)}}`;
  throw unsupported(value);
}

function writeSet(values: readonly unknown[]): string {
  const [first] = values;
  if (first === undefined) throw new Error("Pass a non-empty set.");
  if (typeof first === "string") return `{"SS":${JSON.stringify(values.map(String))}}`;
  if (typeof first === "number" || typeof first === "bigint") return `{"NS":${JSON.stringify(values.map(numberText))}}`;
  if (toBytes(first) === null) throw new Error("A set has numbers, texts or bytes.");
  return `{"BS":${JSON.stringify(values.map((each) => toBytes(each)?.toString("base64")))}}`;
}

function numberText(value: unknown): string {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error(`Special numeric value ${value} is not allowed`);
    // A number of this size may already be another one than was meant.
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Error(`Number ${value} is outside of the safe integers.`);
  }
  return String(value);
}

function toBytes(value: unknown): Buffer | null {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? Buffer.from(value) : null;
}

const unsupported = (value: unknown): Error => new Error(`Unsupported type passed: ${String(value)}.`);

/** Replaces the attribute values of an item by plain values. @returns the item itself */
export function readItem(item: object): Attributes {
  const attributes = item as Attributes;
  for (const name in attributes) attributes[name] = readValue(attributes[name] as Attributes);
  return attributes;
}

function readValue(value: Attributes): unknown {
  for (const type in value) {
    const content = value[type];
    switch (type) {
      case "S":
      case "BOOL":
        return content;
      case "N":
        return toNumber(content as string);
      case "NULL":
        return null;
      case "M":
        return readItem(content as object);
      case "L":
        return (content as Attributes[]).map(readValue);
      case "B":
        return fromBase64(content);
      case "SS":
        return new Set(content as string[]);
      case "NS":
        return new Set((content as string[]).map(toNumber));
      case "BS":
        return new Set((content as unknown[]).map(fromBase64));
    }
  }
  throw new Error(`No value of a known type: ${Object.keys(value).join()}.`);
}

function toNumber(text: string): number | bigint {
  const value = Number(text);
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && Number.isFinite(value) ? BigInt(text) : value;
}

/** Bytes as the SDK has them. It has already decoded those of an error. */
export function fromBase64(content: unknown): Uint8Array {
  if (content instanceof Uint8Array) return content;
  const { buffer, byteOffset, byteLength } = Buffer.from(content as string, "base64");
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Decodes the bytes of typed values, however deep they stand, and leaves everything else as it is. */
export function decodeBytes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Attributes;
  for (const name in fields) {
    const content = fields[name];
    if (name === "B" && typeof content === "string") fields[name] = fromBase64(content);
    else if (name === "BS" && Array.isArray(content)) fields[name] = content.map(fromBase64);
    else decodeBytes(content);
  }
  return value;
}
