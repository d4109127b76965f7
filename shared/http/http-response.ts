import { HeaderMap } from "./header-map.ts";

interface ResponseOptions {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>;
}

/** The response of a route, with what the routes need of `Response`: see `HeaderMap`. Its headers can be changed. */
export class HttpResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: string | Uint8Array | null;

  constructor(body: string | Uint8Array | null, { status = 200, headers = {} }: ResponseOptions = {}) {
    this.status = status;
    this.headers = new HeaderMap(headers);
    this.body = body;
  }

  /** @throws TypeError when the value cannot be serialized */
  static json(value: unknown, options: ResponseOptions = {}): HttpResponse {
    const response = new HttpResponse(JSON.stringify(value), options);
    if (!response.headers.has("content-type")) response.headers.set("content-type", "application/json");
    return response;
  }

  async bytes(): Promise<Uint8Array> {
    return typeof this.body === "string" ? Buffer.from(this.body) : (this.body ?? new Uint8Array());
  }

  async json(): Promise<unknown> {
    return JSON.parse(Buffer.from(await this.bytes()).toString());
  }
}
