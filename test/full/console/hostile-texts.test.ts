import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { receivedFrame, updatedFrame } from "./support/replies.ts";
import { loginPage, messageOf, openWorld, personOf, type SmallWorld, workspace } from "./support/small-world.ts";

// What strangers write is text, wherever it stands: nothing of it runs, leaves its box or makes a request.

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

const hostile: Readonly<Record<string, string>> = {
  script: "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>",
  markup: "</p></div></main><style>*{display:none}</style><iframe src='https://evil.example/'></iframe>",
  "javascript address": "javascript:window.ran=3 https://user:pass@evil.example/ data:text/html,<script>ran=4</script>",
  template: "{{constructor.constructor('window.ran=5')()}} <%= window.ran=6 %> %s %n \u0000\u0007\u001b[31m",
  "right-to-left override": `\u202egnp.exe \u2066\u2067\u2068 ${"\u202e".repeat(500)} user`,
  "combining marks": `a${"\u0301\u0489".repeat(5_000)}`,
  "long word": "W".repeat(6_000),
  "zero-width characters": `\u200b\u2060\ufeff${"\u200b".repeat(3_000)}x`,
  emoji: "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿".repeat(400),
  Arabic: "مرحبا بالعالم ".repeat(300),
  "broken surrogates": "\ud800 \udfff \ufffe",
};

const invite = (words: string) => ({ id: "inv_1", tenant: "north", name: words, role: words, invited_by_email: words });

function fillWith(world: SmallWorld, words: string): void {
  const attachments = [
    { type: "file", url: "https://cdn.fbcdn.net/a", title: words, coordinates: null },
    { type: "file", url: "javascript:window.ran=7", title: words, coordinates: null },
    {
      type: "image",
      url: 'https://cdn.fbcdn.net/a.png"><script>window.ran=8</script>',
      title: words,
      coordinates: null,
    },
    { type: "location", url: null, title: words, coordinates: { lat: 1, long: 2 } },
    { type: words, url: words, title: words, coordinates: null },
  ];
  const story = { kind: "reply", url: words, id: "s" };
  const postback = { title: words, payload: words };
  const reactions = [{ by: "participant", reaction: "other", emoji: words, at: new Date().toISOString() }];
  world.workspaces = [workspace("acme", words), workspace("beta", `${words} 2`)];
  world.accounts = [{ ...world.accounts[0], display_name: words, handle: words }];
  world.team = [{ tenant: "acme", user_id: "usr_other", email: words, name: words, role: "agent" }];
  world.me = { ...world.me, name: words, email: words, invites: [invite(words)] };
  const named = { participant_name: words, participant_username: words, participant_handle: words };
  const other = { ...named, account_handle: words, last_message_text: words };
  world.add(personOf("993", 1, { ...other, participant_picture: "javascript:window.ran=9" }), [
    messageOf("m1", "993", { text: words, reactions } as never),
    messageOf("m2", "993", { text: "", attachments } as never),
    messageOf("m3", "993", { text: words, story, reply_to: "m1" } as never),
    messageOf("m4", "993", { text: "", postback } as never),
    messageOf("m5", "993", {
      text: words,
      direction: "outbound",
      sent_via: "api_in_window",
      actor_id: "console:usr_other",
    }),
  ]);
  world.add(personOf("994", 200, { ...other, needs_reply: true }), [messageOf("n1", "994", { text: words })]);
  world.add(personOf("995", 30, other), [messageOf("o1", "995", { text: words })]);
}

/** Nothing ran or was asked of another host, and no box is wider than the page or its column. */
async function expectCalm(world: SmallWorld, where: string): Promise<void> {
  const found = await world.page.evaluate<{ ran: unknown; wide: string[]; strangers: number }>(`(() => {
    const wide = [];
    const isOut = (inner, outer) => inner.right > outer.right + 1 || inner.left < outer.left - 1;
    if (document.scrollingElement.scrollWidth > innerWidth + 1) wide.push("page");
    for (const box of document.querySelectorAll(".list, .thread, .who, .admin, .admin .rowset, .rail, .bub, .row, .notice, dialog[open], .gate")) {
      if (!box.checkVisibility()) continue;
      const outer = box.getBoundingClientRect();
      if (isOut(outer, { left: 0, right: innerWidth })) wide.push(box.className + " leaves the page");
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === "visible") wide.push(box.className + " is overfull");
    }
    return { ran: window.ran ?? null, wide, strangers: document.querySelectorAll("#root script, #root style, iframe, [onerror]").length };
  })()`);
  expect({ where, ...found }).toEqual({ where, ran: null, wide: [], strangers: 0 });
  expect(world.complaints).toEqual([]);
  const hosts = world.requestedUrls
    .map((url) => URL.parse(url))
    .filter((url) => url && /^(http|ws)/.test(url.protocol));
  expect(
    hosts.filter((url) => url?.host !== new URL(world.origin).host && !/fbcdn\.net$/.test(url?.host ?? "")),
  ).toEqual([]);
}

it.each(
  Object.entries(hostile).flatMap(([name, words]) => [
    { name, words, width: 1440 },
    { name, words, width: 390 },
  ]),
)("a $name in every text is text, which stays in its box at $width px", async ({ words, width }) => {
  const world = await openWorld(browser, server, { viewport: { width, height: 800 } });
  const { page } = world;
  fillWith(world, words);
  await world.open();
  await page.locator(".row").first().waitFor();
  await expectCalm(world, "list");
  await world.openThread("993");
  await page.locator("[data-message]").last().waitFor();
  await expectCalm(world, "thread");
  if (width === 1440) await page.locator(".who").waitFor();
  else await page.getByRole("button", { name: "About this person" }).click();
  await page.getByRole("button", { name: "Erase this person" }).click();
  await page.getByRole("dialog", { name: "Erase" }).waitFor();
  await expectCalm(world, "erase");
  await world.openThread("993");
  await page.locator("[data-message]").last().waitFor();
  world.failures.set("POST /v1/messages/reply", { status: 502, code: "send_failed", detail: words });
  await page.locator("textarea").fill(words.slice(0, 100) || "x");
  await page.getByRole("button", { name: "Send", exact: false }).last().click();
  await page.locator("[data-send=failed], [data-send=unknown]").waitFor();
  world.push(updatedFrame({ ...personOf("993", 0), participant_name: words }));
  world.push(receivedFrame("993", "m9", { text: words }));
  await expect.poll(() => page.locator("[data-message=m9]").count()).toBe(1);
  await expectCalm(world, "refused");
  await world.openThread("994");
  await page.locator(".closed-card").waitFor();
  await expectCalm(world, "closed");
  await world.openThread("995");
  await page.locator("textarea").fill("Hello");
  await page.getByRole("button", { name: "Hold to check" }).click();
  await page.locator("[data-send=held]").waitFor();
  await expectCalm(world, "held");
  await world.open("/app/other/inbox");
  await page.locator(".choices").waitFor();
  await expectCalm(world, "choices");
  await page.context().close();
});

const office = "/app/acme";

/** The pages beside the inbox, each with the presses that show more of it, and what shows that it is there. */
const pages: readonly { readonly path: string; readonly shown: string; readonly presses?: readonly RegExp[] }[] = [
  { path: `${office}/accounts?error=%3Cb%3E%E2%80%AE`, shown: ".account-list li" },
  { path: `${office}/accounts`, shown: ".account-list li", presses: [/^Manage/, /^Disconnect$/] },
  { path: `${office}/accounts?choose=messenger`, shown: ".page-choice input", presses: [/^Connect$/] },
  { path: `${office}/webhooks`, shown: "ul[aria-label=Endpoints] li" },
  { path: `${office}/webhooks/end_1`, shown: "main table", presses: [/^Rotate secret$/] },
  { path: `${office}/webhooks/end_1/dlv_1`, shown: "main pre" },
  { path: `${office}/keys`, shown: "table[aria-label=Keys] tbody tr", presses: [/^Revoke /] },
  { path: `${office}/team`, shown: "ul[aria-label='Open invites'] li", presses: [/^Invite someone$/] },
  { path: `${office}/audit`, shown: "table[aria-label='Audit log'] tbody tr" },
];

function fillOffice(world: SmallWorld, words: string): void {
  const { office, webhooks } = world;
  fillWith(world, words);
  const broken = { status: "needs_reauth", status_detail: words, refresh_error: `${words} 2` };
  world.accounts = [
    { ...world.accounts[0], ...broken, display_name: words, handle: words },
    { ...world.accounts[0], account_key: "messenger#2", platform: "messenger", status: "restricted", page_id: words },
  ];
  const linked = { account_key: "instagram#3", username: words, connected: false, picture: null };
  world.loginPages = [{ ...loginPage("1", words), instagram: linked }, loginPage("2", "")];
  world.failures.set("POST /oauth/messenger/select", { status: 502, code: "oauth_failed", detail: words });
  webhooks.addEndpoint("end_1", `https://${words}`, { failing_since: words, signing_secret_prefix: words });
  const event = { id: words, type: "message.received", data: { message: { text: words }, [words]: words } };
  const attempt = { attempt: 1, at: Date.now(), status: 503, error: "status", duration_ms: 1, response: words };
  webhooks.addDelivery("failed", { event, attempts: [attempt] } as never);
  office.addKey("key", words, { prefix: words });
  office.addMember("usr_me", "Mia", "owner");
  office.addMember("usr_ben", words, "agent");
  office.addInvite("inv_1", words);
  office.addEntry("key.create", "console:usr_ben", { label: words, reason: words } as never);
  office.addEntry("key.create", words as never, { [words.slice(0, 40)]: words } as never);
}

it.each(
  Object.entries(hostile).flatMap(([name, words]) => [
    { name, words, width: 1440 },
    { name, words, width: 390 },
  ]),
)(
  "a $name in every text of the pages beside the inbox is text, which stays in its box at $width px",
  async ({ words, width }) => {
    const world = await openWorld(browser, server, { viewport: { width, height: 800 } });
    world.page.setDefaultTimeout(20_000);
    fillOffice(world, words);
    for (const { path, shown, presses = [] } of pages) {
      await world.open(path);
      await world.page.locator(shown).first().waitFor();
      await expectCalm(world, path);
      for (const name of presses) {
        await world.page.getByRole("button", { name }).filter({ visible: true }).last().click();
        await world.page
          .getByRole("dialog")
          .or(world.page.getByRole("alert"))
          .filter({ visible: true })
          .first()
          .waitFor();
        await expectCalm(world, `${path} ${name}`);
      }
      expect(await world.page.title()).not.toContain(words);
    }
    await world.page.context().close();
  },
);
