import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { closeSchema, openSchema } from "./closed-schemas.ts";
import { type ApiDocument, dereference, type Schema } from "./document.ts";
import { describeError } from "./schema-errors.ts";

/** Who sends a frame of the realtime stream. `gateway`: itself, when the function of a client's frame failed. */
export type FrameSide = "client" | "server" | "gateway";

/** Says what a frame has that the document does not declare. */
export type CheckFrame = (side: FrameSide, text: string) => readonly string[];

/** A frame of the server or the gateway has no field but those of its schema. Compiles each schema when it is first met. */
export function frameChecker(document: ApiDocument): CheckFrame {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const schemas = {
    client: clientSchemas(document),
    server: serverSchemas(document),
    // Its only frame has no type.
    gateway: new Map<unknown, Schema>([[undefined, document["x-realtime"].server.failure.schema]]),
  };
  const validators = new Map<Schema, ValidateFunction>();

  function validatorOf(side: FrameSide, schema: Schema): ValidateFunction {
    const known = validators.get(schema);
    if (known) return known;
    const validate = ajv.compile(
      side === "client" ? openSchema(document, schema, true) : closeSchema(document, schema),
    );
    validators.set(schema, validate);
    return validate;
  }

  return (side, text) => {
    const frame = parseFrame(text);
    if (frame === undefined || !("type" in frame || side === "gateway"))
      return ["the frame is no JSON object with a type"];
    const schema = schemas[side].get(frame.type);
    if (schema === undefined) return [`no frame of the ${side} has this type`];
    const validate = validatorOf(side, schema);
    return validate(frame) ? [] : (validate.errors ?? []).map((error) => describeError(error, frame));
  };
}

function clientSchemas(document: ApiDocument): Map<unknown, Schema> {
  return new Map(document["x-realtime"].client.frames.map(({ name, schema }) => [name, schema]));
}

/** A connection gets the frames of the stream, and each event as an endpoint gets it. */
function serverSchemas(document: ApiDocument): Map<unknown, Schema> {
  const events = Object.entries(document.webhooks).map(([type, { post }]): [string, Schema] => {
    const { content } = dereference(document, post.requestBody) ?? {};
    return [type, content?.["application/json"]?.schema];
  });
  const frames = document["x-realtime"].server.frames.map(({ name, schema }): [string, Schema] => [name, schema]);
  return new Map([...events, ...frames]);
}

function parseFrame(text: string): { readonly type?: unknown } | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    return typeof frame === "object" && frame !== null ? frame : undefined;
  } catch {
    return undefined;
  }
}
