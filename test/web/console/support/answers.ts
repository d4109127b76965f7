/** A request of the page. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: object;
}

export function ok(data: object, status = 200): ApiAnswer {
  return { status, body: { ok: true, data } };
}

export function refusal(status: number, code: string, detail = ""): ApiAnswer {
  return { status, body: { ok: false, error: { code, message: `The model refuses: ${code}.`, detail } } };
}

const operations: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/conversations\/[^/]+$/, "/v1/conversations/{id}"],
  [/^\/v1\/attachments\/uploads\/[^/]+$/, "/v1/attachments/uploads/{upload_id}"],
  [/^\/v1\/messages\/holds\/\w+$/, "/v1/messages/holds/{hold_id}"],
  [/^\/verify\/holds\/\w+$/, "/verify/holds/{hold_id}"],
  [/^\/verify\/holds\/\w+\/challenge$/, "/verify/holds/{hold_id}/challenge"],
  [/^\/verify\/holds\/\w+\/complete$/, "/verify/holds/{hold_id}/complete"],
];

/** The method and the path of a call, without its ids: `GET /v1/conversations/{id}`. */
export function operationOf(method: string, path: string): string {
  const template = operations.find(([pattern]) => pattern.test(path))?.[1] ?? path;
  return `${method} ${template}`;
}
