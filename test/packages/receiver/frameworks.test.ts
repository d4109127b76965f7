import { createServer } from "node:http";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import {
  createReceiver,
  fastifyPlugin,
  fetchHandler,
  memoryStore,
  nodeHandler,
  ParleyError,
  type ReceiverOptions,
} from "#receiver";
import { deliver, SECRET, serve, signedRequest } from "./support/delivery.ts";

// The handlers in the frameworks themselves.

function receiverFixture(options: Partial<ReceiverOptions> = {}) {
  const received: string[] = [];
  const errors: unknown[] = [];
  const receiver = createReceiver({
    secret: SECRET,
    store: memoryStore(),
    on: { "message.received": async (event) => void received.push(event.data.message.text) },
    onError: (error) => errors.push(error),
    ...options,
  });
  return { receiver, received, errors };
}

type Fixture = ReturnType<typeof receiverFixture>;

/** Starts an app of a framework, whose receiver is at `/hooks`. */
type StartApp = (fixture: Fixture) => Promise<{ readonly url: string } & AsyncDisposable>;

async function startFastify({ receiver }: Fixture) {
  const app = fastify();
  await app.register(fastifyPlugin(receiver), { path: "/hooks" });
  app.post("/json", async (request) => request.body);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { url, [Symbol.asyncDispose]: () => app.close() };
}

async function startExpress({ receiver }: Fixture) {
  const app = express();
  app.post("/hooks", nodeHandler(receiver));
  app.use(express.json());
  app.post("/json", (request, response) => void response.json(request.body));
  return await serve(app);
}

/** A server that makes a web `Request` of each request of Node.js. */
async function serveFetch(handle: (request: Request) => Response | Promise<Response>) {
  return await serve(async (request, response) => {
    const body = request.method === "POST" ? Buffer.concat(await request.toArray()) : null;
    const headers = request.headers as Record<string, string>;
    const answer = await handle(
      new Request(`http://app.test${request.url}`, { method: request.method ?? "", headers, body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
}

const apps: Record<string, StartApp> = {
  "node:http": ({ receiver }) => serve(nodeHandler(receiver)),
  Express: startExpress,
  "Express with express.raw": ({ receiver }) => {
    const app = express();
    app.post("/hooks", express.raw({ type: "application/json" }), nodeHandler(receiver));
    return serve(app);
  },
  Fastify: startFastify,
  Hono: ({ receiver }) => {
    const app = new Hono();
    const handle = fetchHandler(receiver);
    app.post("/hooks", (context) => handle(context.req.raw));
    return serveFetch(app.fetch);
  },
  "a handler of Request and Response": ({ receiver }) => serveFetch(fetchHandler(receiver)),
};

describe.each(Object.entries(apps))("in %s", (_name, start) => {
  test("a receiver in the framework processes a signed delivery once", async () => {
    const fixture = receiverFixture();
    await using app = await start(fixture);
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await deliver(`${app.url}/hooks`, signedRequest("evt_1"))).toEqual({ status: 204, text: "" });
    }
    expect(fixture.received).toEqual(["Grüße 👩🏽‍🚀"]);
    expect(fixture.errors).toEqual([]);
  });

  test("a receiver in the framework refuses a changed body with 401", async () => {
    const fixture = receiverFixture();
    await using app = await start(fixture);
    const { headers, body } = signedRequest("evt_1");
    const answer = await deliver(`${app.url}/hooks`, { headers, body: body.replace("Grüße", "Bonjour") });
    expect(answer).toEqual({ status: 401, text: "The signature does not match the body and the secret." });
    expect(fixture.received).toEqual([]);
  });

  test("a receiver in the framework answers a failed function with 500, and processes its retry", async () => {
    let calls = 0;
    const on = {
      "message.received": () => {
        calls += 1;
        if (calls === 1) throw new Error("The database is away.");
      },
    };
    await using app = await start(receiverFixture({ on }));
    const answers = [
      await deliver(`${app.url}/hooks`, signedRequest("evt_1")),
      await deliver(`${app.url}/hooks`, signedRequest("evt_1")),
    ];
    expect(answers.map(({ status }) => status)).toEqual([500, 204]);
    expect(answers[0]?.text).not.toContain("database");
  });

  test("a receiver in the framework refuses a body of more than 1 MB with 413 and goes on", async () => {
    const fixture = receiverFixture();
    await using app = await start(fixture);
    const { headers } = signedRequest("evt_1");
    // The server may end the connection before the whole body is sent.
    const status = await deliver(`${app.url}/hooks`, { headers, body: "x".repeat(1_500_000) }).then(
      (answer) => answer.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(await deliver(`${app.url}/hooks`, signedRequest("evt_2"))).toMatchObject({ status: 204 });
  });
});

test.each([
  ["Express", startExpress],
  ["Fastify", startFastify],
])("in %s, a receiver leaves the parsers of the other routes as they are", async (_name, start) => {
  await using app = await start(receiverFixture());
  const headers = { "content-type": "application/json" };
  expect(await deliver(`${app.url}/json`, { headers, body: '{"a":1}' })).toEqual({ status: 200, text: '{"a":1}' });
});

const parsedFirst: Record<string, StartApp> = {
  "Express after express.json": ({ receiver }) => {
    const app = express();
    app.use(express.json());
    app.post("/hooks", nodeHandler(receiver));
    return serve(app);
  },
  "node:http after the body was read": async ({ receiver }) => {
    const handle = nodeHandler(receiver);
    return await serve(async (request, response) => {
      await request.toArray();
      await handle(request, response);
    });
  },
  "Hono after the body was read": ({ receiver }) => {
    const app = new Hono();
    const handle = fetchHandler(receiver);
    app.post("/hooks", async (context) => {
      await context.req.raw.json();
      return await handle(context.req.raw);
    });
    return serveFetch(app.fetch);
  },
};

test.each(Object.entries(parsedFirst))(
  "in %s, a receiver names the parsed body as the problem",
  async (_name, start) => {
    const fixture = receiverFixture();
    await using app = await start(fixture);
    expect(await deliver(`${app.url}/hooks`, signedRequest("evt_1"))).toEqual({
      status: 500,
      text: "The receiver failed.",
    });
    expect(fixture.errors).toEqual([expect.any(ParleyError)]);
    expect(String(fixture.errors[0])).toMatch(
      /The body was read or parsed before the receiver.* (In Express|Pass the request)/,
    );
  },
);

test("a sender that disconnects before its body is complete is reported, and the receiver goes on", async () => {
  const fixture = receiverFixture();
  await using app = await serve(nodeHandler(fixture.receiver));
  const { connect } = await import("node:net");
  const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
  socket.write("POST /hooks HTTP/1.1\r\nhost: app\r\ncontent-length: 100\r\n\r\n{");
  setTimeout(() => socket.destroy(), 50);
  await expect.poll(() => fixture.errors.length).toBe(1);
  expect(await deliver(`${app.url}/hooks`, signedRequest("evt_1"))).toMatchObject({ status: 204 });
});

test("a Worker's context gets the processing, so that it ends also without a connection", async () => {
  const pending: Promise<unknown>[] = [];
  const { headers, body } = signedRequest("evt_1");
  const { receiver, received } = receiverFixture();
  const request = new Request("http://app.test/hooks", { method: "POST", headers, body });
  await fetchHandler(receiver)(request, {}, { waitUntil: (promise: Promise<unknown>) => void pending.push(promise) });
  await Promise.all(pending);
  expect([pending.length, received.length]).toEqual([1, 1]);
});

test("node:http of the types of Node.js takes the handler as it is", () => {
  createServer(nodeHandler(receiverFixture().receiver)).close();
});
