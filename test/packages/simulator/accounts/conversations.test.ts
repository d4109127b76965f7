import { expect, test } from "vitest";
import { type Fields, startTestSimulator, startWebhookReceiver, testAccounts, testPage } from "../simulator-fixture.ts";

const sides = {
  login: { host: "instagram", token: testAccounts.login.token, platform: "instagram" },
  viaPage: { host: "facebook", token: testPage.token, platform: "instagram" },
  messenger: { host: "facebook", token: testPage.token, platform: "messenger" },
} as const;
type Side = keyof typeof sides;

async function startHistory() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  await simulator.sim("/history-limit", { per_second: 0 });
  const read = (side: Side, path: string) =>
    simulator.get(`/${sides[side].host}_graph/v26.0/${path}`, sides[side].token);
  const conversations = async (side: Side, query = ""): Promise<Fields> =>
    (await read(side, `me/conversations?platform=${sides[side].platform}${query}`)).body;
  return { simulator, read, conversations };
}

test.each(["login", "viaPage", "messenger"] as const)(
  "the conversations of an account of %s are listed by their newest message, and paged",
  async (side) => {
    const { simulator, conversations, read } = await startHistory();
    for (const person of ["Ada", "Bo", "Cy"]) await simulator.personSends(side, { person });
    const { person: ada } = await simulator.personSends(side, { person: "Ada", text: "Again" });
    const first = await conversations(side, "&limit=2");
    expect(first.data).toHaveLength(2);
    expect(first.data[0].updated_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
    const second = await conversations(side, `&limit=2&after=${first.paging.cursors.after}`);
    expect(second.data).toHaveLength(1);
    expect(second.paging.next).toBeUndefined();
    const ofAda = await conversations(side, `&user_id=${ada}`);
    expect(ofAda.data).toEqual([first.data[0]]);
    const { participants } = (await read(side, `${first.data[0].id}?fields=participants`)).body;
    expect(participants.data[1].id).toBe(ada);
  },
);

test("the conversations of an account are empty without a message, and only of the platform that is asked for", async () => {
  const { simulator, conversations, read } = await startHistory();
  expect(await conversations("messenger")).toEqual({ data: [] });
  await simulator.personSends("viaPage");
  expect(await conversations("messenger")).toEqual({ data: [] });
  expect((await conversations("viaPage")).data).toHaveLength(1);
  expect((await read("login", "me/conversations?platform=messenger")).body.error.code).toBe(100);
  expect((await read("messenger", `${testAccounts.viaPage.externalId}/conversations`)).body.error.code).toBe(100);
});

test("cleared threads are gone with their messages, and the next message starts a new one", async () => {
  const { simulator, conversations, read } = await startHistory();
  const { person, mid } = await simulator.personSends("login");
  expect((await simulator.sim("/clear-threads", {})).body).toEqual({ threads: 1 });
  expect(await conversations("login")).toEqual({ data: [] });
  expect((await read("login", encodeURIComponent(mid))).status).toBe(400);
  await simulator.personSends("login", { person });
  expect((await conversations("login")).data).toHaveLength(1);
});

test.each(["login", "viaPage", "messenger"] as const)(
  "the messages of %s are read with both sides, newest first",
  async (side) => {
    const { simulator, conversations, read } = await startHistory();
    const { person, mid } = await simulator.personSends(side, { text: "Where is my parcel?" });
    const { message_id: answer } = (await simulator.sendToPerson(side, person, { reply_to: { mid } })).body;
    const [thread] = (await conversations(side)).data;
    const { messages, id } = (await read(side, `${thread.id}?fields=messages`)).body;
    expect(id).toBe(thread.id);
    expect(messages.data.map((one: Fields) => one.id)).toEqual([answer, mid]);
    const fields = "fields=id,created_time,from,to,message,attachments,reply_to,story,shares";
    const account = testAccounts[side].externalId;
    const message = (await read(side, `${encodeURIComponent(mid)}?${fields}`)).body;
    expect(message).toMatchObject({
      id: mid,
      message: "Where is my parcel?",
      from: { id: person },
      to: { data: [{ id: account }] },
    });
    expect(message.created_time).toMatch(/\+0000$/);
    expect(message).not.toHaveProperty("attachments");
    expect((await read(side, `${encodeURIComponent(answer)}?${fields}`)).body).toMatchObject({
      message: "Good day",
      from: { id: account },
      to: { data: [{ id: person }] },
      reply_to: { mid },
    });
    const nested = (await read(side, `${thread.id}/messages?fields=id,message,from{id}`)).body;
    expect(nested.data[1]).toEqual({ id: mid, message: "Where is my parcel?", from: { id: person } });
  },
);

test("the messages of a thread have attachments, shares and stories in the shapes of Graph", async () => {
  const { simulator, read } = await startHistory();
  const sent = async (side: Side, kind: string): Promise<Fields> => {
    const { mid } = await simulator.personSends(side, { kind, text: undefined });
    const fields = "message,attachments,shares,story,sticker,is_unsupported";
    return (await read(side, `${encodeURIComponent(mid)}?fields=${fields}`)).body;
  };
  const [image] = (await sent("messenger", "image")).attachments.data;
  expect(image).toMatchObject({ mime_type: "image/png", image_data: { url: expect.stringMatching(/\.png$/) } });
  expect(image).toMatchObject({ id: expect.any(String), name: expect.any(String), size: expect.any(Number) });
  expect((await sent("login", "album")).attachments.data).toHaveLength(3);
  const [video] = (await sent("login", "video")).attachments.data;
  expect(video).toMatchObject({ mime_type: "video/webm", video_data: { url: expect.any(String) } });
  const [audio] = (await sent("messenger", "audio")).attachments.data;
  expect(audio).toMatchObject({ mime_type: "audio/wav", file_url: expect.stringMatching(/voice\.wav$/) });
  const [file] = (await sent("messenger", "file")).attachments.data;
  expect(file).toMatchObject({ mime_type: "application/pdf", name: "price-list.pdf", file_url: expect.any(String) });
  expect((await sent("login", "shared_post")).shares.data).toMatchObject([{ link: expect.any(String) }]);
  expect((await sent("login", "story_reply")).story).toMatchObject({ reply_to: { link: expect.any(String) } });
  expect((await sent("login", "story_mention")).story).toMatchObject({ mention: { link: expect.any(String) } });
  expect((await sent("messenger", "sticker")).sticker).toEqual(expect.any(String));
  expect((await sent("login", "view_once")).is_unsupported).toBe(true);
});

test("the messages of a thread of which only the newest 20 can be read, and none that was unsent", async () => {
  const { simulator, conversations, read } = await startHistory();
  const mids: string[] = [];
  for (let number = 0; number < 22; number += 1) {
    mids.push((await simulator.personSends("login", { text: `Number ${number}` })).mid);
  }
  const [thread] = (await conversations("login")).data;
  const { data, paging } = (await read("login", `${thread.id}/messages?fields=id,message&limit=22`)).body;
  expect(data).toHaveLength(22);
  expect(paging.next).toBeUndefined();
  expect(data.filter((one: Fields) => "message" in one)).toHaveLength(20);
  const message = async (number: number) => (await read("login", `${mids[number]}?fields=message`)).body;
  expect(await message(2)).toMatchObject({ message: "Number 2" });
  expect((await message(1)).error.code).toBe(9_000_001);
  await simulator.personSends("login", { kind: "unsend", mid: mids[21], text: undefined });
  expect((await message(21)).error.code).toBe(9_000_001);
  expect(await message(1)).toMatchObject({ message: "Number 1" });
});

test("the messages of a thread of another account are unknown", async () => {
  const { simulator, read, conversations } = await startHistory();
  const { mid } = await simulator.personSends("messenger");
  const [thread] = (await conversations("messenger")).data;
  expect((await read("login", encodeURIComponent(mid))).body.error.error_subcode).toBe(33);
  expect((await read("login", thread.id)).body.error.error_subcode).toBe(33);
});

test("two reads a second are accepted; more meet the rate limit, each account's own", async () => {
  const { simulator, read } = await startHistory();
  await simulator.sim("/history-limit", { per_second: 2 });
  const list = (side: Side) => read(side, "me/conversations");
  const answers = await Promise.all(Array.from({ length: 6 }, () => list("login")));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.body.error.code).toBe(613);
  expect(refused[0]?.headers.get("x-business-use-case-usage")).toContain("estimated_time_to_regain_access");
  expect((await list("messenger")).status).toBe(200);
});
