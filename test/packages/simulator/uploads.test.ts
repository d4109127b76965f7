import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aac, id3 } from "../../support/files/media-files.ts";
import { type Fields, startTestSimulator, startWebhookReceiver, testAccounts, testPage } from "./simulator-fixture.ts";

const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), Buffer.alloc(100)]);
const gif = Buffer.from("GIF89a..........");
const mp4 = Buffer.concat([Buffer.alloc(4), Buffer.from("ftypisom"), Buffer.alloc(100)]);
const wav = Buffer.from("RIFF....WAVEfmt ");
const pdf = Buffer.from("%PDF-1.7 .......");
const day = 24 * 3_600_000;

type Name = keyof typeof testAccounts;
const edgeByAccount: Record<Name, { path: string; token: string; extra: object }> = {
  login: {
    path: `/instagram_graph/v26.0/${testAccounts.login.externalId}/message_attachments`,
    token: testAccounts.login.token,
    extra: {},
  },
  viaPage: {
    path: `/facebook_graph/v26.0/${testPage.id}/message_attachments`,
    token: testPage.token,
    extra: { platform: "instagram" },
  },
  messenger: { path: "/facebook_graph/v26.0/me/message_attachments", token: testPage.token, extra: {} },
};

async function startWithPerson(options: { statePath?: string } = {}) {
  const simulator = await startTestSimulator((await startWebhookReceiver()).url, options);
  const upload = (name: Name, type: string, url: string) => {
    const { path, token, extra } = edgeByAccount[name];
    const message = { attachment: { type, payload: { url, is_reusable: true } } };
    return simulator.ask("POST", path, { ...extra, message }, token);
  };
  const send = async (name: Name, type: string, attachment_id: string) => {
    const { person } = await simulator.personSends(name);
    return simulator.sendToPerson(name, person, { message: { attachment: { type, payload: { attachment_id } } } });
  };
  return { simulator, upload, send };
}

/** A file server on this machine. */
async function files(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const serveFile = (mime: string, bytes: Uint8Array) =>
  files((_request, response) => response.writeHead(200, { "Content-Type": mime }).end(bytes));

test.each(["login", "viaPage", "messenger"] as const)(
  "a file uploaded by URL can be sent by its id (%s)",
  async (name) => {
    const { simulator, upload, send } = await startWithPerson();
    const { status, body } = await upload(name, "image", `${await serveFile("image/png", png)}/upl_1.png`);
    expect([status, Object.keys(body)]).toEqual([200, ["attachment_id"]]);
    expect(body.attachment_id).toMatch(/^\d{17}$/);
    expect((await send(name, "image", body.attachment_id)).status).toBe(200);
    const { threads } = (await simulator.get("/_sim/state")).body;
    const [, sent] = threads[0].messages;
    expect(sent.attachments).toEqual([
      { type: "image", payload: { url: `${simulator.url}/media/${body.attachment_id}.png` } },
    ]);
  },
);

test.each([
  ["video", "video/mp4", mp4, "messenger", true],
  ["audio", "audio/wav", wav, "login", true],
  ["file", "application/pdf", pdf, "viaPage", true],
  ["file", "application/zip", Buffer.from("PK.............."), "messenger", true],
  ["file", "application/zip", Buffer.from("PK.............."), "login", false],
  ["image", "image/gif", gif, "viaPage", true],
  ["image", "image/gif", gif, "login", false],
  ["image", "image/png", pdf, "messenger", false],
  ["image", "application/octet-stream", png, "messenger", false],
  ["audio", "video/mp4", mp4, "messenger", false],
  ["video", "video/quicktime", mp4, "messenger", false],
  ["audio", "audio/aac", Buffer.concat([id3(300), aac()]), "messenger", true],
  ["video", "video/mp4", png, "messenger", false],
] as const)(
  "a file uploaded by URL as %s, served as %s, must be of that type (%#)",
  async (type, mime, bytes, name, expectedType) => {
    const { upload } = await startWithPerson();
    const answer = await upload(name, type, `${await serveFile(mime, bytes)}/a`);
    if (expectedType) expect(answer.status).toBe(200);
    else expect(answer.body.error).toMatchObject({ code: 100, error_subcode: 2018047 });
  },
);

test("a file uploaded by URL may have 8 MB as an image and 25 MB otherwise, and not a byte more", async () => {
  const { upload } = await startWithPerson();
  const origin = await files((request, response) => {
    const [, size = "0", type] = (request.url ?? "").split("/");
    const bytes = Buffer.alloc(Number(size));
    (type === "image" ? png : mp4).copy(bytes);
    response.writeHead(200, { "Content-Type": type === "image" ? "image/png" : "video/mp4" }).end(bytes);
  });
  const uploadOfSize = (size: number, type: string) => upload("messenger", type, `${origin}/${size}/${type}`);
  for (const [type, most] of [
    ["image", 8 * 1024 * 1024],
    ["video", 25 * 1024 * 1024],
  ] as const) {
    expect((await uploadOfSize(most, type)).status).toBe(200);
    expect((await uploadOfSize(most + 1, type)).body.error).toMatchObject({ code: 100, error_subcode: 2018109 });
  }
});

test("a file uploaded by URL must be complete and on a loopback host name, without a redirect", async () => {
  const { upload } = await startWithPerson();
  const origin = await files((request, response) => {
    const image = { "Content-Type": "image/png" };
    if (request.url === "/here") response.writeHead(200, image).end(png);
    else if (request.url === "/moved") response.writeHead(302, { Location: "/here" }).end();
    else if (request.url === "/cut") {
      response.writeHead(200, { ...image, "Content-Length": 1_000 }).write(png, () => response.destroy());
    } else response.writeHead(404).end();
  });
  expect((await upload("login", "image", `${origin}/here`)).status).toBe(200);
  // Resolves to the same server, but is not a host name that the simulator accepts as loopback.
  const elsewhere = `${origin.replace("127.0.0.1", "[::ffff:127.0.0.1]")}/here`;
  const urls = [elsewhere, `${origin}/missing`, `${origin}/moved`, `${origin}/cut`, "http://127.0.0.1:1/a"];
  for (const url of urls) {
    expect((await upload("login", "image", url)).body.error, url).toMatchObject({
      code: 100,
      error_subcode: 2018008,
    });
  }
});

test("a file uploaded by URL must have a name in ASCII on Instagram", async () => {
  const { upload } = await startWithPerson();
  const url = `${await serveFile("image/png", png)}/f%C3%BCr.png`;
  expect((await upload("login", "image", url)).body.error).toMatchObject({ code: 100 });
  expect((await upload("viaPage", "image", url)).body.error).toMatchObject({ code: 100 });
  expect((await upload("messenger", "image", url)).status).toBe(200);
});

test("a file uploaded by URL must be reusable and of a known type", async () => {
  const { simulator, upload } = await startWithPerson();
  const { path, token } = edgeByAccount.messenger;
  const attachment = { type: "image", payload: { url: `${await serveFile("image/png", png)}/a.png` } };
  expect((await simulator.ask("POST", path, { message: { attachment } }, token)).body.error.code).toBe(100);
  expect((await upload("messenger", "sticker", attachment.payload.url)).body.error.code).toBe(100);
  expect((await upload("messenger", "image", "nonsense")).body.error.code).toBe(100);
});

const post = (url: string, name: Name, file: Blob, fileName: string, type = "image") => {
  const { path, token, extra } = edgeByAccount[name];
  const form = new FormData();
  for (const [field, value] of Object.entries(extra)) form.set(field, value);
  form.set("message", JSON.stringify({ attachment: { type, payload: { is_reusable: true } } }));
  form.set("filedata", file, fileName);
  return fetch(url + path, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: form });
};

test.each(["login", "viaPage", "messenger"] as const)(
  "a file posted in a form can be sent by its id (%s)",
  async (name) => {
    const { simulator, send } = await startWithPerson();
    const answer = await post(simulator.url, name, new Blob([png], { type: "image/png" }), "a.png");
    const { attachment_id } = (await answer.json()) as Fields;
    expect((await send(name, "image", attachment_id)).status).toBe(200);
  },
);

test("a file posted in a form may be as large as the largest file, and its type is checked", async () => {
  const { simulator } = await startWithPerson();
  const video = Buffer.alloc(25 * 1024 * 1024);
  mp4.copy(video);
  const large = await post(simulator.url, "messenger", new Blob([video], { type: "video/mp4" }), "a.mp4", "video");
  expect(large.status).toBe(200);
  const wrong = await post(simulator.url, "messenger", new Blob([pdf], { type: "image/png" }), "a.png");
  expect(((await wrong.json()) as Fields).error).toMatchObject({ error_subcode: 2018047 });
  const response = await post(simulator.url, "login", new Blob([png], { type: "image/png" }), "für.png");
  expect(response.status).toBe(400);
});

const refused = { status: 400, body: { error: { code: 100, error_subcode: 2018074 } } };

test("an uploaded file belongs to the account that uploaded it", async () => {
  const { upload, send } = await startWithPerson();
  const url = `${await serveFile("image/png", png)}/a.png`;
  const ofPage = (await upload("messenger", "image", url)).body.attachment_id;
  expect(await send("viaPage", "image", ofPage)).toMatchObject(refused);
  expect(await send("login", "image", ofPage)).toMatchObject(refused);
  const ofInstagram = (await upload("viaPage", "image", url)).body.attachment_id;
  expect(await send("messenger", "image", ofInstagram)).toMatchObject(refused);
  expect((await send("viaPage", "image", ofInstagram)).status).toBe(200);
});

test("an uploaded file lives 90 days", async () => {
  const { simulator, upload, send } = await startWithPerson();
  const { attachment_id } = (await upload("messenger", "image", `${await serveFile("image/png", png)}/a.png`)).body;
  await simulator.sim("/clock", { offset_ms: 90 * day - 60_000 });
  expect((await send("messenger", "image", attachment_id)).status).toBe(200);
  await simulator.sim("/clock", { offset_ms: 90 * day + 60_000 });
  expect(await send("messenger", "image", attachment_id)).toMatchObject(refused);
});

test("an uploaded file is sent as its own type, on a Page's Instagram account also as MEDIA_SHARE, or only so if configured", async () => {
  const { simulator, upload, send } = await startWithPerson();
  const url = `${await serveFile("video/mp4", mp4)}/a.mp4`;
  const id = (await upload("viaPage", "video", url)).body.attachment_id;
  const ofMessenger = (await upload("messenger", "video", url)).body.attachment_id;
  const mistyped = { status: 400, body: { error: { code: 100, error_subcode: 2534015 } } };
  expect((await send("viaPage", "video", id)).status).toBe(200);
  expect((await send("viaPage", "MEDIA_SHARE", id)).status).toBe(200);
  expect(await send("viaPage", "image", id)).toMatchObject(mistyped);
  expect(await send("messenger", "MEDIA_SHARE", ofMessenger)).toMatchObject(mistyped);
  await simulator.sim("/faults", { mode: "media_share_only" });
  expect(await send("viaPage", "video", id)).toMatchObject(mistyped);
  expect((await send("viaPage", "MEDIA_SHARE", id)).status).toBe(200);
  expect((await send("messenger", "video", ofMessenger)).status).toBe(200);
});

describe("a fault of all calls", () => {
  const startWithFault = async (fault: object, name: Name = "messenger") => {
    const folder = mkdtempSync(join(tmpdir(), "simulator-uploads-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const statePath = join(folder, "state.json");
    const { simulator, upload, send } = await startWithPerson({ statePath });
    const fileUrl = `${await serveFile("image/png", png)}/a.png`;
    await simulator.sim("/faults", { on: "calls", for: 1, ...fault });
    return {
      simulator,
      upload: () => upload(name, "image", fileUrl),
      send: (id: string) => send(name, "image", id),
      storedIds: (): string[] => JSON.parse(readFileSync(statePath, "utf8")).uploads.map(({ id }: Fields) => id),
      /** Uploads without reading the response as JSON. */
      rawUpload: (signal = AbortSignal.timeout(20_000)) => {
        const { path, token, extra } = edgeByAccount[name];
        const message = { attachment: { type: "image", payload: { url: fileUrl, is_reusable: true } } };
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        return fetch(simulator.url + path, {
          method: "POST",
          headers,
          body: JSON.stringify({ ...extra, message }),
          signal,
        });
      },
    };
  };

  test.each([
    ["login", testAccounts.login.externalId],
    ["messenger", testPage.id],
  ] as const)("a fault of all calls limits the rate of an upload, for the requested minutes (%s)", async (name, id) => {
    const { upload, storedIds } = await startWithFault({ mode: "rate_limited", minutes: 17 }, name);
    const { headers, body } = await upload();
    expect(body.error).toMatchObject({ code: 613 });
    const usage = JSON.parse(headers.get("X-Business-Use-Case-Usage") ?? "{}");
    expect(usage[id][0].estimated_time_to_regain_access).toBe(17);
    expect((await upload()).status).toBe(200);
    expect(storedIds()).toHaveLength(1);
  });

  test.each(["hang_after_accept", "reset_after_accept"])("%s stores the file without a response", async (mode) => {
    const { rawUpload, storedIds, send } = await startWithFault({ mode });
    const end = new AbortController();
    const pendingRequest = rawUpload(end.signal).catch((error: unknown) => error);
    await expect.poll(storedIds).toHaveLength(1);
    if (mode === "hang_after_accept") end.abort();
    expect(await pendingRequest).toBeInstanceOf(Error);
    expect((await send(storedIds()[0] ?? "")).status).toBe(200);
  });

  test("reset_before_accept stores nothing", async () => {
    const { rawUpload, upload, storedIds } = await startWithFault({ mode: "reset_before_accept" });
    await expect(rawUpload()).rejects.toThrow("fetch failed");
    const { attachment_id } = (await upload()).body;
    expect(storedIds()).toEqual([attachment_id]);
  });

  test("malformed_json truncates the response to an upload, huge_body makes it longer than 10 MB", async () => {
    const { simulator, rawUpload } = await startWithFault({ mode: "malformed_json" });
    const text = await (await rawUpload()).text();
    expect(text).toContain("attachment_id");
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await simulator.sim("/faults", { mode: "huge_body", on: "calls" });
    expect((await (await rawUpload()).text()).length).toBeGreaterThan(10 * 1024 * 1024);
  });

  test("a fault of all calls that refuses only a send does not alter an upload, which counts", async () => {
    const { simulator, upload } = await startWithFault({ mode: "outside_window" });
    expect((await upload()).status).toBe(200);
    expect((await simulator.get("/_sim/state")).body.fault).toMatchObject({ mode: "none" });
  });
});
