import { HUMAN_AGENT_WINDOW } from "#base/kernel/limits.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";

/** Content of a message. Pictures are names: the simulator draws one for each. */
interface DemoContent {
  readonly text?: string;
  readonly pictures?: readonly string[];
}

/** One event of a conversation. `ago` is how long before the start it happened. */
export type DemoStep =
  /** The person does something: `kind` is one of the simulator, a text by default. */
  | (DemoContent & { readonly by: "person"; readonly ago: Millis; readonly kind?: string; readonly emoji?: string })
  /** The business answers in the app of the platform. */
  | (DemoContent & { readonly by: "app"; readonly ago: Millis })
  /** A program answers through the API, now. */
  | { readonly by: "program"; readonly text: string }
  /** The colleague answers through the API, now. A picture is an upload. */
  | { readonly by: "colleague"; readonly text?: string; readonly picture?: string }
  /** The colleague holds a message, which waits for their check. */
  | { readonly by: "hold"; readonly text: string };

export interface DemoConversation {
  readonly on: "instagram" | "messenger";
  readonly person: string;
  /** Instagram only. Default: made of the name. */
  readonly username?: string;
  readonly steps: readonly DemoStep[];
}

const person = (ago: Millis, text: string, rest: Partial<DemoStep & { by: "person" }> = {}): DemoStep => ({
  by: "person",
  ago,
  text,
  ...rest,
});
const app = (ago: Millis, text: string): DemoStep => ({ by: "app", ago, text });
const colleague = (text: string): DemoStep => ({ by: "colleague", text });

/** The window of these closes so long after the start: nothing older is stored. */
export const CLOSES_AFTER: Millis = 2 * MINUTE;
const almostClosed = HUMAN_AGENT_WINDOW - CLOSES_AFTER;

/** The inbox of the workshop: two dozen conversations, in every state of the window, answered and not. */
export const demoConversations: readonly DemoConversation[] = [
  // Closed two minutes after the start. The first to be played, before their window closes.
  {
    on: "instagram",
    person: "Sam Whitfield",
    steps: [
      person(almostClosed, "Is the workshop open on Sundays?"),
      app(3 * DAY, "Hello Sam, sorry for the wait! Yes, from eleven to four."),
    ],
  },
  {
    on: "messenger",
    person: "Omar Farouk",
    steps: [
      person(almostClosed, "Could you repair a cracked teapot?"),
      app(5 * DAY, "We cannot repair it, I am afraid, but we can make a new lid. Shall we?"),
    ],
  },
  // The window closes within two hours.
  {
    on: "instagram",
    person: "Camille Durand",
    steps: [
      person(26 * HOUR, "Bonjour! I saw your stall at the market on Saturday."),
      person(23 * HOUR + 10 * MINUTE, "Do you still have the speckled mug in green? I would take two."),
    ],
  },
  {
    on: "instagram",
    person: "佐藤 美咲",
    username: "misaki.pottery",
    steps: [
      person(22 * HOUR + 20 * MINUTE, "こんにちは。この青い湯呑みはまだありますか?", {
        kind: "image",
        pictures: ["blue-cup"],
      }),
    ],
  },
  {
    on: "messenger",
    person: "Margaret Ellis",
    steps: [
      person(22 * HOUR + 45 * MINUTE, "Good morning. My order has not arrived yet. It is number 1042."),
      person(22 * HOUR + 40 * MINUTE, "It is a birthday present for Thursday."),
    ],
  },
  // Open.
  {
    on: "instagram",
    person: "ليلى حداد",
    username: "layla.haddad",
    steps: [person(3 * HOUR, "مرحبا، هل ترسلون إلى عمّان؟ 🌿")],
  },
  {
    on: "instagram",
    person: "Ελένη Παππά",
    username: "eleni.pappa",
    steps: [
      person(9 * HOUR, "Καλησπέρα! Πόσο κοστίζει το μεγάλο βάζο;"),
      app(8 * HOUR, "Καλησπέρα Ελένη! It is 64 euros, and the next ones leave the kiln on Friday."),
    ],
  },
  {
    on: "instagram",
    person: "Jonas Weber",
    steps: [
      person(2 * HOUR, "That glaze is wonderful! Which one is it?", { kind: "story_reply" }),
      colleague("Thank you, Jonas! It is our own ash glaze. The story shows it right after the firing."),
    ],
  },
  {
    on: "instagram",
    person: "Priya Nair",
    steps: [
      person(42 * MINUTE, "Our new café 😊 We need about sixty plates like these.", {
        kind: "album",
        pictures: ["cafe-table", "cafe-window", "plates"],
      }),
      person(40 * MINUTE, "Would end of January work for you?"),
    ],
  },
  {
    on: "instagram",
    person: "Mateo Rojas",
    steps: [
      person(7 * HOUR, "Is there a place left in the throwing class?"),
      app(6 * HOUR, "Two places are left on the 12th. I have put your name down, see you at six!"),
      { by: "person", ago: 5 * HOUR, kind: "reaction", emoji: "❤️" },
    ],
  },
  {
    on: "instagram",
    person: "Aoife Byrne",
    steps: [
      person(4 * HOUR, "Mam, can you collect me at five?"),
      { by: "person", ago: 4 * HOUR - 2 * MINUTE, kind: "unsend" },
      person(
        4 * HOUR - 3 * MINUTE,
        "Sorry, that was for my mother 🙈 But I do love the bowls. Do they go in the oven?",
      ),
    ],
  },
  {
    on: "instagram",
    person: "Noah Lindqvist",
    steps: [
      person(2 * HOUR, "😍😍🏺"),
      {
        by: "program",
        text: "Thank you, Noah! The shop is open until six today. A person answers your questions soon.",
      },
    ],
  },
  {
    on: "instagram",
    person: "Bea Costa",
    steps: [{ by: "person", ago: 5 * HOUR, kind: "story_mention" }],
  },
  {
    on: "instagram",
    person: "Theo Laurent",
    steps: [{ by: "person", ago: 6 * HOUR, kind: "audio" }],
  },
  {
    on: "messenger",
    person: "David Osei",
    steps: [
      person(75 * MINUTE, "Do you deliver to this address?"),
      { by: "person", ago: 74 * MINUTE, kind: "location" },
      colleague("We do, David. A parcel costs 7 euros and takes two days."),
    ],
  },
  {
    on: "messenger",
    person: "Анна Петрова",
    steps: [person(65 * MINUTE, "Добрый день! Можно заказать чашки с именами детей?")],
  },
  {
    on: "messenger",
    person: "Kofi Mensah",
    steps: [
      person(95 * MINUTE, "One of the cups arrived with a crack.", { kind: "image", pictures: ["cracked-cup"] }),
      colleague("I am sorry about that, Kofi. We send you a new one today. Do you like this one?"),
      { by: "colleague", picture: "new-cup" },
    ],
  },
  {
    on: "messenger",
    person: "김지수",
    steps: [
      person(11 * HOUR, "안녕하세요! 꽃병 사진을 더 볼 수 있을까요?"),
      app(10 * HOUR, "Of course, Jisoo! More pictures are on our page, in the album Vases."),
      { by: "person", ago: 9 * HOUR, kind: "reaction", emoji: "👍" },
    ],
  },
  // Only a person may answer.
  {
    on: "instagram",
    person: "Hannah Okafor",
    steps: [person(2 * DAY, "Hello! Can I collect the serving bowl on Saturday instead of Friday?")],
  },
  {
    on: "instagram",
    person: "Lucía Fernández",
    steps: [
      person(4 * DAY, "¡Hola! Are the small plates safe in the dishwasher?"),
      app(4 * DAY - HOUR, "¡Hola Lucía! They are, all of them."),
      person(3 * DAY, "Great. Then six of them, please, in sand."),
      { by: "hold", text: "They are packed, Lucía! You get the tracking number tomorrow." },
    ],
  },
  {
    on: "instagram",
    person: "Yuki Tanaka",
    steps: [
      person(5 * DAY, "The matcha bowl arrived. It is perfect, thank you! 🍵"),
      app(5 * DAY - HOUR, "That makes us very happy, Yuki. Enjoy it!"),
    ],
  },
  {
    on: "instagram",
    person: "Zofia Nowak",
    steps: [person(6 * DAY + 20 * HOUR, "Dzień dobry! Do you sell the glaze powder too?")],
  },
  {
    on: "messenger",
    person: "Ingrid Solberg",
    steps: [
      person(30 * HOUR, "Hei! How much is a voucher for the class?"),
      app(29 * HOUR, "Hei Ingrid! 55 euros, with the clay and both firings."),
    ],
  },
  {
    on: "messenger",
    person: "Robert Hale",
    steps: [person(4 * DAY, "I would like to send an invoice address for my order.")],
  },
];
