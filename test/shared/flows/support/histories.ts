import fc from "fast-check";
import type { Millis } from "../../../../shared/kernel/time.ts";
import { edited, type Happening, noise, pressed, reacted, said, seen, showed, unsent } from "./changes.ts";

/** One thing that happened, with what it is known by. */
export interface Step {
  readonly happening: Happening;
  readonly mid: string;
  /** What is announced of it in order; null for what leaves nothing. */
  readonly tells: string | null;
}

const makers = ["text", "photo", "postback", "echo"] as const;
const changers = ["edit", "edit", "unsend", "react", "unreact", "read", "noise"] as const;

interface Draw {
  readonly what: (typeof makers)[number] | (typeof changers)[number];
  readonly person: number;
  readonly which: number;
}

/**
 * What happened between an account and one to three people, in order: each message may be edited, reacted to and at
 * last unsent. Two things share each instant, so that ties are met. Nothing is edited once it was unsent: no platform
 * lets it.
 */
export function histories(begin: Millis, length: number): fc.Arbitrary<Step[]> {
  const draw = fc.record<Draw>({
    what: fc.constantFrom(...makers, ...changers, ...changers),
    person: fc.nat({ max: 2 }),
    which: fc.nat({ max: 99 }),
  });
  return fc.array(draw, { minLength: 2, maxLength: length }).map((draws) => stepsOf(draws, begin));
}

interface Known {
  readonly mid: string;
  readonly person: string;
  readonly ours: boolean;
  edits: number;
  unsent: boolean;
}

function stepsOf(draws: readonly Draw[], begin: Millis): Step[] {
  const known: Known[] = [];
  return draws.flatMap((draw, i): Step[] => {
    const at = begin + Math.floor(i / 2);
    const maker = makers.find((each) => each === draw.what) ?? (known.length === 0 ? "text" : null);
    if (maker) {
      const message: Known = {
        mid: `m${known.length}`,
        person: `person-${draw.person}`,
        ours: maker === "echo",
        edits: 0,
        unsent: false,
      };
      known.push(message);
      return [made(maker, message, at)];
    }
    const message = known[draw.which % known.length];
    const step = message && changed(draw.what, message, at, i);
    return step ? [step] : [];
  });
}

function made(maker: (typeof makers)[number], { mid, person, ours }: Known, at: Millis): Step {
  const rest = { person, ours };
  const happening = {
    text: () => said(mid, `text of ${mid}`, at, rest),
    echo: () => said(mid, `our ${mid}`, at, rest),
    photo: () => showed(mid, `https://cdn.example/${mid}`, at, rest),
    postback: () => pressed(mid, `press of ${mid}`, at, rest),
  }[maker]();
  return { happening, mid, tells: `${ours ? "message.sent" : "message.received"} ${mid}` };
}

function changed(what: Draw["what"], message: Known, at: Millis, i: number): Step | null {
  const { mid, person, ours } = message;
  const rest = { person, ours };
  switch (what) {
    case "edit":
      if (message.unsent) return null;
      message.edits++;
      return {
        happening: edited(mid, `edit ${message.edits} of ${mid}`, message.edits, at, { person }),
        mid,
        tells: `message.edited ${mid} ${message.edits}`,
      };
    case "unsend":
      if (message.unsent) return null;
      message.unsent = true;
      return { happening: unsent(mid, at, rest), mid, tells: `message.deleted ${mid}` };
    case "react":
    case "unreact":
      // Each at an instant of its own: that is what tells two reactions apart.
      return {
        happening: reacted(mid, what, at + i, { person }),
        mid,
        tells: `message.reaction ${mid} ${what} ${at + i}`,
      };
    case "read":
      return { happening: seen(mid, at, { person }), mid, tells: null };
    default:
      return { happening: noise(mid, at, { person }), mid, tells: null };
  }
}

/** The webhooks that a history comes in: every step at least once, some twice, in any order and of any size. */
export function deliveriesOf(steps: readonly Step[]): fc.Arbitrary<Step[][]> {
  return fc
    .tuple(
      fc.shuffledSubarray([...steps], { minLength: steps.length }),
      fc.array(fc.constantFrom(...steps), { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }),
    )
    .chain(([all, twice, sizes]) =>
      fc
        .shuffledSubarray([...all, ...twice], { minLength: all.length + twice.length })
        .map((order) => cut(order, sizes)),
    );
}

function cut(order: readonly Step[], sizes: readonly number[]): Step[][] {
  const webhooks: Step[][] = [];
  for (let from = 0; from < order.length; ) {
    const size = sizes[webhooks.length % sizes.length] ?? 1;
    webhooks.push(order.slice(from, from + size));
    from += size;
  }
  return webhooks;
}

const isUnsending = (step: Step): boolean => step.tells === `message.deleted ${step.mid}`;
const ofMessage = /^message\.(received|sent|edited) /;

/** What an unsending may keep from being told, when it comes before it: the message itself, and its edits. */
export function suppressible(steps: readonly Step[]): Set<string> {
  const gone = new Set(steps.filter(isUnsending).map(({ mid }) => mid));
  return new Set(steps.flatMap(({ mid, tells }) => (tells && gone.has(mid) && ofMessage.test(tells) ? [tells] : [])));
}

/** What is told when the steps are taken one after another: all but what an unsending came before. */
export function toldInTurn(order: readonly Step[]): Set<string> {
  const told = new Set<string>();
  const gone = new Set<string>();
  for (const step of order) {
    if (isUnsending(step)) gone.add(step.mid);
    if (step.tells && !(gone.has(step.mid) && ofMessage.test(step.tells))) told.add(step.tells);
  }
  return told;
}
