import type { Call, Protocol, WireRequest } from "./client.ts";
import { dnsSuffix } from "./endpoints.ts";
import type { HttpResponse } from "./http-handler.ts";

type Fields = Record<string, unknown>;

interface Service extends Pick<Protocol, "service" | "clientName" | "waitBase"> {
  readonly version: "1.0" | "1.1";
  /** What a target has before the operation. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the service's host, unless an endpoint is set. */
  originOf?(input: Fields): string | undefined;
  /** Default: bytes are base64. */
  encodeBody?(call: Call): string;
  decodeBody?(fields: Fields, call: Call): object;
  decodeErrorBody?(fields: Fields, response: HttpResponse): Fields;
}

/** A service whose operations are all the same request with another name. Source: Smithy's "AWS JSON" protocols. */
export function jsonRpc(service: Service): Protocol {
  const { encodeBody = encodeFields, decodeBody = (fields) => fields, decodeErrorBody = (fields) => fields } = service;
  return {
    ...service,
    encode(call, { url, region }): WireRequest {
      const origin =
        service.originOf?.(call.input as Fields) ?? `https://${service.service}.${region}.${dnsSuffix(region)}`;
      return {
        method: "POST",
        origin: url?.origin ?? origin,
        path: url?.pathname ?? "/",
        headers: {
          "content-type": `application/x-amz-json-${service.version}`,
          "x-amz-target": `${service.target}.${call.operation}`,
          ...service.headers,
        },
        body: encodeBody(call),
      };
    },
    decode: (call, { body }) => decodeBody(body.length === 0 ? {} : JSON.parse(body.toString()), call),
    decodeError(response) {
      const fields = parse(response.body);
      const { __type, code, Message, message = Message, ...others } = fields;
      const type = String(__type ?? code ?? response.headers["x-amzn-errortype"] ?? "Unknown");
      // `namespace#Name:http://…`
      const name = type.split(":", 1)[0]?.split("#").at(-1) ?? "Unknown";
      return { ...decodeErrorBody(others, response), name, message };
    },
  };
}

/** An error's body may be a page of a proxy. */
function parse(body: Buffer): Fields {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

export function encodeFields({ input }: Pick<Call, "input">): string {
  return JSON.stringify(input, function (this: Fields, name, value: unknown) {
    // A Buffer has already become something else in `value`.
    const original = this[name];
    return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : value;
  });
}
