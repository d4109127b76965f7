import type { Demo } from "../demo.ts";
import { STARTS_AT } from "../demo.ts";

/** Nothing answers at this host. */
export const GONE_HOST = /^https:\/\/[^/]+\.fbcdn\.net\//;
const GONE = "https://scontent.fbcdn.net/gone.png";
const MINUTE = 60_000;

const instagram = { connection: "instagram_page", account: "17841400000000077" };
const messenger = { connection: "messenger", account: "100000000000077" };

export const EVERY_KIND = "Ada Every-Kind";
export const EVERY_FILE = "Finn Every-File";
export const LONG_NAME = "Maximiliane-Charlotte von Hohenstein-Oberwallenburg";

type Step = {
  readonly route?: string;
  readonly kind?: string;
  readonly text?: string;
  readonly [more: string]: unknown;
};

/** Two conversations with a message of each kind, and one with words that are longer than their places. */
export async function playGallery(demo: Demo): Promise<void> {
  await playInstagram(demo);
  await playMessenger(demo);
  await play(demo, { ...instagram, person: LONG_NAME }, 200, [
    { text: `https://example.com/${"a-long-address-without-any-space/".repeat(6)}` },
    { text: "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen".repeat(3) },
    { text: "One line\n\nand another one, after an empty line.\n1. first\n2. second" },
    { route: "account-sends", text: "🎉" },
    { text: "ok" },
  ]);
}

async function playInstagram(demo: Demo): Promise<void> {
  const person = { ...instagram, person: EVERY_KIND };
  const first = await play(demo, person, 100, [
    { kind: "story_reply", text: "The blue one! Is it still there?" },
    { kind: "story_mention" },
    { kind: "text", text: "I have been looking for this glaze for months" },
    { route: "account-sends", text: "It is! 42 euros, and it waits for you." },
    { kind: "reaction", emoji: "❤️" },
  ]);
  const quoted = first[2] ?? "";
  await play(demo, person, 90, [
    { kind: "reaction", by_account: true, mid: quoted, emoji: "👍" },
    { kind: "text", text: "This one, I mean.", reply_to: quoted },
    { kind: "text", text: "Do you ship to Malmo?" },
    { kind: "edit", text: "Do you ship to Malmö?" },
    { kind: "text", text: "Wrong chat, sorry" },
    { kind: "unsend" },
    { kind: "view_once" },
    { kind: "unsupported" },
    { kind: "like" },
    { kind: "shared_post" },
    { kind: "image", attachments: [{ type: "image", url: GONE }] },
    { kind: "quick_reply", text: "Yes, please" },
    { kind: "postback", text: "Prices" },
  ]);
}

async function playMessenger(demo: Demo): Promise<void> {
  await play(demo, { ...messenger, person: EVERY_FILE }, 80, [
    { kind: "image", text: "This is the place for it." },
    { kind: "album" },
    { kind: "video" },
    { kind: "audio" },
    { kind: "file" },
    { kind: "sticker" },
    { kind: "location" },
    { kind: "video", attachments: [{ type: "video", url: GONE }] },
    {
      kind: "album",
      attachments: [
        { type: "image", url: `${demo.local.simulator_url}/media/cup.png` },
        { type: "image", url: GONE },
      ],
    },
  ]);
}

/** Plays the steps a minute after one another. @returns the ids of the messages */
async function play(demo: Demo, person: object, minutesAgo: number, steps: readonly Step[]): Promise<string[]> {
  const mids: string[] = [];
  await demo.api.simulate("people", person);
  for (const [index, { route = "person-sends", ...step }] of steps.entries()) {
    const at = STARTS_AT - (minutesAgo - index) * MINUTE;
    const sent = await demo.api.simulate<{ mid?: string | null }>(route, { ...person, at, ...step });
    mids.push(sent.mid ?? "");
  }
  return mids;
}
