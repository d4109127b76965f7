import type { BrowserContext, Route, WebSocketRoute } from "playwright-core";

/** What the console gets in the place of the stack's answers. It is of one context, so that the stack stays as it is. */
export class Answers {
  readonly context: BrowserContext;
  readonly #sockets = new Set<WebSocketRoute>();
  #refusesSockets = false;

  private constructor(context: BrowserContext) {
    this.context = context;
  }

  static async of(context: BrowserContext): Promise<Answers> {
    const answers = new Answers(context);
    await context.routeWebSocket(/\/live/, (socket) => answers.#onSocket(socket));
    return answers;
  }

  #onSocket(socket: WebSocketRoute): void {
    if (this.#refusesSockets) {
      void socket.close({ code: 1001 });
      return;
    }
    socket.connectToServer();
    this.#sockets.add(socket);
  }

  /** Ends the stream, and refuses it from now on. */
  async endStream(): Promise<void> {
    this.#refusesSockets = true;
    for (const socket of this.#sockets) await socket.close({ code: 1001 });
    this.#sockets.clear();
  }

  /** Sends a frame of the stream. */
  push(type: string, data: object): void {
    const frame = { id: `evt_${Math.random()}`, type, api_version: "1.0.0", tenant_id: "demo", data };
    const text = JSON.stringify({ ...frame, created_at: new Date().toISOString() });
    for (const socket of this.#sockets) socket.send(text);
  }

  /** @param call such as `GET /v1/accounts`; `*` is one segment of the path */
  async #on(call: string, answer: (route: Route) => Promise<void>): Promise<void> {
    const [method, path = ""] = call.split(" ");
    const pattern = new RegExp(`^${path.replaceAll("*", "[^/]+")}$`);
    await this.context.route(
      ({ pathname }) => pattern.test(pathname),
      (route) => (route.request().method() === method ? answer(route) : route.fallback()),
    );
  }

  refuse(call: string, status: number, code: string, detail = ""): Promise<void> {
    const body = { ok: false, correlation_id: "cor_1", error: { code, message: code, detail } };
    return this.#on(call, (route) => route.fulfill({ status, json: body }));
  }

  give(call: string, data: object, status = 200): Promise<void> {
    return this.#on(call, (route) => route.fulfill({ status, json: { ok: true, correlation_id: "cor_1", data } }));
  }

  /** Changes what the stack answers. */
  change<Data extends object>(call: string, to: (data: Data) => object): Promise<void> {
    return this.#on(call, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: Data };
      await route.fulfill({ response, json: { ...body, data: to(body.data) } });
    });
  }

  /** There is no answer, because the connection is lost. */
  lose(call: string): Promise<void> {
    return this.#on(call, (route) => route.abort());
  }

  /** There is no answer yet. */
  delay(call: string): Promise<void> {
    return this.#on(call, () => Promise.resolve());
  }
}
