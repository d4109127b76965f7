import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { attachPicture, field, ownBubbles } from "../../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";

const REPLY = "POST /v1/messages/reply";
const SECRET = "GPS 54.3213 N 10.1349 E";
const browser = openedBrowser();

/** Lets a picture be decoded only after `decode()`. */
const SLOW_PICTURES = `
  const createPicture = window.createImageBitmap;
  const mayDecode = new Promise((resolve) => { window.decode = resolve; });
  window.createImageBitmap = async (...args) => { await mayDecode; return createPicture(...args); };
`;

async function openThread({
  platform = "instagram",
  script = "",
}: {
  platform?: "instagram" | "messenger";
  script?: string;
} = {}) {
  const world = await ConsoleWorld.open(browser);
  if (script !== "") await world.context.addInitScript(script);
  const anna = world.inbox.add("Anna Berg", [30, 20], { platform });
  const page = await world.visit(anna);
  const forms: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/storage")) forms.push(request.postDataBuffer()?.toString("latin1") ?? "");
  });
  return { world, anna, page, forms };
}

const ready = (page: Page) => page.locator(".tray li", { hasText: /Ready|Sent as a JPEG/ });
const send = (page: Page) => page.getByRole("button", { name: /^Send/ });

/** Drags a file onto an element. @returns whether the page took each event from the browser */
function drag(page: Page, selector: string, steps: readonly string[]): Promise<boolean[]> {
  return page.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File([Uint8Array.from([137, 80, 78, 71])], "dropped.png", { type: "image/png" }));
    return ${JSON.stringify(steps)}.map((type) => {
      const event = new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true });
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
      return event.defaultPrevented;
    });
  })()`);
}

/** A WebP picture that says where and with what it was taken. */
async function webpWithPlace(page: Page): Promise<Buffer> {
  const plain = await page.evaluate<string>(`(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 24, height: 16 });
    const context = canvas.getContext("2d");
    context.fillStyle = "#37a";
    context.fillRect(0, 0, 24, 16);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/webp", 0.9));
    return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
  })()`);
  const chunks = Buffer.from(plain, "base64").subarray(12);
  // The browser writes the extended format, in which a flag says that such data follows.
  expect(chunks.toString("latin1", 0, 4)).toBe("VP8X");
  chunks.writeUInt8(chunks.readUInt8(8) | 0x08, 8);
  return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), chunks, chunk("EXIF", Buffer.from(SECRET))]));
}

function chunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(name), length, content, Buffer.alloc(content.length % 2)]);
}

it("a file that is dropped anywhere on the thread is attached, and beside it the browser opens none", async () => {
  const { world, page } = await openThread();
  expect(await drag(page, ".msgs", ["dragover"])).toEqual([true]);
  await page.locator(".thread.dropping").waitFor();
  expect(await drag(page, ".msgs", ["drop"])).toEqual([true]);
  await ready(page).waitFor();
  expect(await page.locator(".thread.dropping").count()).toBe(0);
  for (const place of [".rail", ".list", ".who"])
    expect(await drag(page, place, ["dragover", "drop"])).toEqual([true, true]);
  expect(await page.locator(".tray li").count()).toBe(1);
  await send(page).click();
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(world.callsOf(REPLY)[0]?.body).toMatchObject({ attachments: [{ type: "image" }] });
  expect(world.complaints).toEqual([]);
});

it("a file that is pasted is attached, and a text that is pasted is text", async () => {
  const { page } = await openThread();
  const paste = (fill: string) =>
    page.evaluate<boolean>(`(() => {
      const data = new DataTransfer();
      ${fill}
      const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector("textarea").dispatchEvent(event);
      return event.defaultPrevented;
    })()`);
  expect(await paste('data.setData("text/plain", "Hello");')).toBe(false);
  expect(await paste('data.items.add(new File(["x"], "pasted.png", { type: "image/png" }));')).toBe(true);
  await ready(page).waitFor();
  expect(await page.locator(".tray li img").getAttribute("alt")).toBe("pasted.png");
});

it("an upload shows how far it is, and one that is cancelled ends and is not sent", async () => {
  const { world, page } = await openThread();
  const release = world.keepBack("POST /storage");
  await attachPicture(page, "first.png");
  const first = page.locator(".tray li", { hasText: /Uploading, \d+ %|Is being checked/ });
  await first.waitFor();
  expect(await first.locator(".p i").count()).toBe(1);
  await field(page).fill("Only a text");
  await page.keyboard.press("Control+Enter");
  await page.locator(".notice", { hasText: "Wait until the files are uploaded." }).waitFor();
  await page.getByRole("button", { name: "Remove first.png" }).click();
  await page.locator(".tray").waitFor({ state: "detached" });
  await field(page).press("Control+Enter");
  await ownBubbles(page, "Only a text").waitFor();
  release();
  await attachPicture(page, "second.png");
  await ready(page).waitFor();
  // Of two uploads only the second one was ended by the page's report.
  expect(world.callsOf("POST /v1/attachments")).toHaveLength(1);
  expect(world.callsOf(REPLY).map(({ body }) => body.attachments)).toEqual([undefined]);
  expect(world.complaints).toEqual([]);
});

it("a WebP becomes a JPEG without its place and camera data, and the picture says so", async () => {
  const { world, page, forms } = await openThread();
  const buffer = await webpWithPlace(page);
  expect(buffer.includes(SECRET)).toBe(true);
  await page.locator('input[type="file"]').setInputFiles({ name: "harbor.webp", mimeType: "image/webp", buffer });
  await page.locator(".tray li", { hasText: "Sent as a JPEG, without place and camera data" }).waitFor();
  expect(world.callsOf("POST /v1/attachments/uploads")[0]?.body).toMatchObject({
    filename: "harbor.jpg",
    content_type: "image/jpeg",
  });
  expect(forms[0]).toContain("\u00ff\u00d8\u00ff");
  expect(forms[0]).not.toContain("WEBP");
  expect(forms[0]).not.toContain("54.3213");
  expect(await page.evaluate('document.querySelector(".tray img").naturalWidth')).toBe(24);
  expect(world.complaints).toEqual([]);
});

it("a message waits for a picture that is still being turned into a JPEG", async () => {
  const { world, page } = await openThread({ script: SLOW_PICTURES });
  const buffer = await webpWithPlace(page);
  await page.locator('input[type="file"]').setInputFiles({ name: "harbor.webp", mimeType: "image/webp", buffer });
  await page.locator(".tray li", { hasText: "Is turned into a JPEG" }).waitFor();
  await field(page).fill("Our harbor");
  await page.keyboard.press("Control+Enter");
  await page.locator(".notice", { hasText: "Wait until the files are uploaded." }).waitFor();
  expect(world.callsOf(REPLY)).toEqual([]);
  await page.evaluate("decode()");
  await ready(page).waitFor();
  await page.keyboard.press("Control+Enter");
  await waitFor("both messages", () => world.callsOf(REPLY).length === 2);
  expect(world.callsOf(REPLY).map(({ body }) => body)).toMatchObject([
    { attachments: [{ type: "image" }] },
    { text: "Our harbor" },
  ]);
});

it("a picture that cannot be turned into a JPEG is offered as a file on Messenger, and refused on Instagram", async () => {
  const photo = { name: "photo.heic", mimeType: "image/heic", buffer: Buffer.from("no picture at all") };
  const words = "This browser cannot turn the picture into a JPEG.";
  const instagram = await openThread();
  await instagram.page.locator('input[type="file"]').setInputFiles(photo);
  await instagram.page.locator(".tray li", { hasText: words }).waitFor();
  expect(await instagram.page.getByRole("button", { name: "Send as a file" }).count()).toBe(0);

  const { world, page, forms } = await openThread({ platform: "messenger" });
  await page.locator('input[type="file"]').setInputFiles(photo);
  await page.locator(".tray li", { hasText: words }).waitFor();
  await page.getByRole("button", { name: "Send as a file" }).click();
  await ready(page).waitFor();
  expect(forms[0]).toContain("no picture at all");
  await send(page).click();
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(world.callsOf(REPLY)[0]?.body).toMatchObject({ attachments: [{ type: "file" }] });
});
