import type { ExampleExchange, Examples } from "./exchange.ts";

export interface ExampleRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
  /** True for a file, whose content an example does not show. */
  readonly isFile?: boolean;
}

export interface ExampleAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a scenario reads the fields of the operation that it called
  readonly data: any;
}

/** The headers of an answer that its examples show. */
const SHOWN_HEADERS = ["content-type", "location", "etag", "retry-after", "set-cookie", "idempotent-replayed"];

export type Recorder = ReturnType<typeof openRecorder>;

/** Sends requests to a stack, and records those that are examples. */
export function openRecorder(baseUrl: string) {
  const exchanges = new Map<string, ExampleExchange[]>();

  async function send({ method, path, headers = {}, body }: ExampleRequest): Promise<ExampleAnswer> {
    const response = await fetch(baseUrl + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      redirect: "manual",
      headers: { ...(typeof body === "object" ? { "content-type": "application/json" } : {}), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, data: toJson(response.headers, text)?.data };
  }

  return {
    send,

    /**
     * Records an example of an operation. Throws for an answer that the title does not expect.
     * @param title what a success shows, such as `A reply with an image`; null where the answer is an error
     */
    async example(operation: string, title: string | null, request: ExampleRequest): Promise<ExampleAnswer> {
      const answer = await send(request);
      const isError = answer.status >= 400;
      const body = request.isFile ? undefined : (toJson(answer.headers, answer.text) ?? plainText(answer));
      if (isError !== (title === null)) {
        throw new Error(`${operation}: ${request.path} answered ${answer.status} ${answer.text.slice(0, 500)}`);
      }
      const { code, message } = body?.error ?? {};
      const recorded = exchanges.get(operation) ?? [];
      exchanges.set(operation, recorded);
      recorded.push({
        name: title === null ? code : title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"),
        summary: title ?? message,
        request: toRecordedRequest(request),
        response: {
          status: answer.status,
          headers: shownHeaders(answer.headers),
          ...(body === undefined ? {} : { body }),
        },
      });
      return answer;
    },

    /** The examples by operation id, in alphabetical order. */
    examples: (): Examples =>
      Object.fromEntries(
        [...exchanges]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([operation, list]) => [operation, { exchanges: list }]),
      ),
  };
}

function toRecordedRequest({ method, path, headers = {}, body }: ExampleRequest): ExampleExchange["request"] {
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    path,
    headers: { ...headers, ...(typeof body === "object" ? { "content-type": "application/json" } : {}) },
    ...(body === undefined ? {} : { body }),
  };
}

function shownHeaders(headers: Headers): Record<string, string> {
  const shown = SHOWN_HEADERS.filter((name) => headers.has(name));
  // Several cookies are one line each.
  const value = (name: string) =>
    name === "set-cookie" ? headers.getSetCookie().join("\n") : (headers.get(name) ?? "");
  return Object.fromEntries(shown.map((name) => [name, value(name)]));
}

/** The value of an answer in JSON; undefined for another one, and for one without a body. */
// biome-ignore lint/suspicious/noExplicitAny: see `ExampleAnswer`
function toJson(headers: Headers, text: string): any {
  const isJson = (headers.get("content-type") ?? "").startsWith("application/json");
  return isJson && text !== "" ? JSON.parse(text) : undefined;
}

/** The text of an answer that is not JSON; undefined for a file of a page. */
function plainText({ headers, text }: ExampleAnswer): string | undefined {
  return (headers.get("content-type") ?? "").startsWith("text/plain") && text !== "" ? text : undefined;
}
