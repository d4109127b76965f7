import fc from "fast-check";
import { expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { currentAttachments } from "#features/inbox/rules/messages.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import {
  acceptedOutcome,
  expectedHead,
  openConversationFixture,
  type PendingReply,
  refusedOutcome,
  unknownOutcome,
} from "../../../support/flows/conversation-fixture.ts";
import { type FaultPoint, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";

// The platform's responses and echoes in any order, with crashes at any call.

const testEnv = openedOnce(openTestEnv);

type ReplyEnd = "accepted" | "lost" | "dies" | "dies unsent" | "refused";

interface ReplyDraft {
  readonly text: string;
  readonly end: ReplyEnd;
}

/** One step. Its prerequisites run just before it. */
interface HistoryEvent {
  readonly what: "begin" | "end" | "echo" | "native";
  readonly which: number;
  /** The process crashes at this call. An echo is then redelivered at once. */
  readonly struck: { readonly faultPoint: FaultPoint; readonly at: number } | null;
}

/** Stands for an uploaded photo, which is sent without a text. */
const PHOTO = "(photo)";
const photoUrl = (mid: string) => `https://cdn.example/${mid}`;

// Few texts, so that sends often have the same text. Some have spaces around, as the platform may return them.
const replyDraft = fc.record<ReplyDraft>({
  text: fc.constantFrom("yes", " yes", "no", PHOTO),
  end: fc.constantFrom("accepted", "accepted", "lost", "dies", "dies unsent", "refused"),
});
const optionalFault = fc.option(
  fc.record({ faultPoint: fc.constantFrom<FaultPoint>("before", "after", "lost"), at: fc.nat({ max: 9 }) }),
  { freq: 3 },
);
const replyHistories = fc
  .record({
    platform: fc.constantFrom("instagram", "messenger"),
    sends: fc.array(replyDraft, { minLength: 1, maxLength: 3 }),
    natives: fc.nat({ max: 1 }),
  })
  .chain(({ platform, sends, natives }) => {
    const each = (kind: HistoryEvent["what"], count: number) =>
      Array.from({ length: count }, (_, index) => ({ what: kind, which: index }));
    const all = [
      ...each("begin", sends.length),
      ...each("end", sends.length),
      ...each("echo", sends.length),
      ...each("echo", sends.length),
      ...each("native", natives),
    ];
    return fc.record({
      platform: fc.constant(platform),
      sends: fc.constant(sends),
      platformEvents: fc
        .shuffledSubarray(all, { minLength: sends.length * 2 })
        .chain((events) =>
          fc.tuple(...events.map((one) => optionalFault.map((fault): HistoryEvent => ({ ...one, struck: fault })))),
        ),
    });
  });

it("every accepted send is one outbound message, and nothing else is", async () => {
  await fc.assert(
    fc.asyncProperty(replyHistories, async ({ platform, sends, platformEvents }) => {
      const fixture = await openConversationFixture(testEnv, platform);
      const flights = new Map<number, PendingReply>();
      const ownMessageIds = new Set<string>();
      const echoedIds = new Set<string>();
      const natives = new Set<string>();
      const unfinished = new Set<number>();
      const reachedPlatform = ({ end }: ReplyDraft) => end !== "dies unsent" && end !== "refused";
      const midOf = (index: number) => `${fixture.tenant}-${index}`;

      const isPhoto = (index: number) => sends[index]?.text === PHOTO;
      const photo = { type: "image", attachmentId: "1857777774821032" };

      async function startReply(index: number): Promise<PendingReply> {
        const flight =
          flights.get(index) ?? (await fixture.startReply(isPhoto(index) ? [photo] : (sends[index]?.text ?? "")));
        flights.set(index, flight);
        return flight;
      }

      async function echo(index: number): Promise<void> {
        const { metadata } = await startReply(index);
        const rest = platform === "messenger" ? { echo: { appId: "777", metadata } } : {};
        const attachments = [{ type: "image" as const, url: photoUrl(midOf(index)) }];
        if (isPhoto(index)) await fixture.echo(midOf(index), "", { ...rest, attachments });
        else await fixture.echo(midOf(index), sends[index]?.text.trim() ?? "", rest);
        echoedIds.add(midOf(index));
      }

      /** @returns whether its process ended early */
      async function withFault(fault: HistoryEvent["struck"], work: () => Promise<unknown>): Promise<boolean> {
        const injection = fault && injectFaultAt(testEnv.clients, fault.faultPoint, fault.at);
        const failed = await work().then(
          (result) => result instanceof Error,
          () => true,
        );
        injection?.remove();
        // A sender that crashes reports nothing.
        return failed || (fault?.faultPoint !== "lost" && injection?.reached() === true);
      }

      async function applyEvent({ what: kind, which: index, struck: fault }: HistoryEvent): Promise<void> {
        const send = sends[index];
        testEnv.advance(SECOND);
        if (kind === "native") {
          natives.add(`${fixture.tenant}-native`);
          await withFault(fault, () => fixture.echo(`${fixture.tenant}-native`, "from the phone"));
          return fixture.echo(`${fixture.tenant}-native`, "from the phone");
        }
        if (!send) return;
        if (kind === "begin") await startReply(index);
        if (kind === "echo" && reachedPlatform(send)) {
          ownMessageIds.add(midOf(index));
          await startReply(index);
          if (await withFault(fault, () => echo(index))) await echo(index);
          unfinished.delete(index);
        }
        if (kind === "end") {
          const flight = await startReply(index);
          if (send.end === "accepted") {
            ownMessageIds.add(midOf(index));
            if (await withFault(fault, () => flight.answer(acceptedOutcome(midOf(index))))) unfinished.add(index);
          }
          if (send.end === "lost") await withFault(fault, () => flight.answer(unknownOutcome));
          if (send.end === "refused") await withFault(fault, () => flight.answer(refusedOutcome));
          if (send.end.startsWith("dies")) await flight.crash();
        }
      }

      for (const platformEvent of platformEvents) await applyEvent(platformEvent);
      // After a crash on the response, the echo settles the send.
      for (const index of unfinished) await echo(index);

      const rows = await fixture.messageRows();
      const outbound = rows.filter(({ message }) => message.direction !== "inbound").map(({ message }) => message);
      const summaries = outbound.map(({ id, direction, sentVia }) => `${id} ${direction} ${sentVia}`).sort();
      const due = [
        ...[...ownMessageIds].map((id) => `${id} outbound api_in_window`),
        ...[...natives].map((id) => `${id} echo native_app`),
      ];
      expect(summaries).toEqual(due.sort());
      expect(await fixture.head()).toMatchObject(expectedHead(rows));
      for (const message of outbound.filter(({ attachments }) => attachments.length > 0)) {
        const url = echoedIds.has(message.id) ? photoUrl(message.id) : null;
        expect(currentAttachments(message)).toEqual([{ type: "image", url }]);
      }

      const eventIdsByMessage = new Map<string, Set<string>>();
      for (const { position: place, eventUlid } of await fixture.messageEvents()) {
        eventIdsByMessage.set(place, (eventIdsByMessage.get(place) ?? new Set()).add(eventUlid));
      }
      expect(eventIdsByMessage).toEqual(
        new Map(rows.map(({ position: place, message }) => [place, new Set([message.eventUlid])])),
      );

      const claims = (await fixture.records()).filter(({ b }) => b === "echo").map(({ m }) => m);
      expect(new Set(claims).size).toBe(claims.length);
    }),
    { numRuns: repetitions({ whole: 40, sample: 20 }) },
  );
});

it.each(["instagram", "messenger"] as const)(
  "a send's response and its concurrent echoes are one outbound message, whichever arrives first (%s)",
  async (platform) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.constantFrom("accepted", "lost"), async (scheduler, end) => {
        const fixture = await openConversationFixture(testEnv, platform);
        testEnv.advance(SECOND);
        const flight = await fixture.startReply("yes");
        const mid = `${fixture.tenant}-out`;
        const echoFields = platform === "messenger" ? { echo: { appId: "777", metadata: flight.metadata } } : {};
        testEnv.advance(SECOND);
        const release = injectFaults(testEnv.client, () => scheduler.schedule(Promise.resolve<Fault>("pass")));
        const all = Promise.all([
          flight.answer(end === "accepted" ? acceptedOutcome(mid) : unknownOutcome),
          fixture.echo(mid, "yes", echoFields),
          fixture.echo(mid, "yes", echoFields),
        ]);
        await scheduler.waitFor(all).finally(release);

        const rows = await fixture.messageRows();
        expect(rows).toHaveLength(2);
        expect(rows[0]?.message).toMatchObject({ id: mid, direction: "outbound", sentVia: "api_in_window" });
        expect(await fixture.head()).toMatchObject(expectedHead(rows));
        expect(new Set((await fixture.messageEvents()).map(({ eventUlid }) => eventUlid)).size).toBe(2);
        expect(await fixture.records()).toMatchObject([{ st: "sent", m: mid }]);
      }),
      { numRuns: repetitions({ whole: 12, sample: 6 }) },
    );
  },
);
