import { ulidTime } from "#base/kernel/ids.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { StreamFrame, Viewer } from "../../sockets.ts";
import { conversationOf, people } from "../../world/people.ts";
import { textsBefore } from "../erasure.ts";
import { type Evidence, messageIdOf, wordsIn } from "../evidence.ts";
import { owners } from "../isolation.ts";

/** The types of which a message has one event. */
const onceTypes: ReadonlySet<string> = new Set(["message.received", "message.sent", "message.deleted"]);

const wordsOf = (frame: StreamFrame) => wordsIn(frame, () => frame.text);
const hasEnvelope = ({ body }: StreamFrame) => body.id !== undefined;

/** A connection gets `hello` first, and nothing of another tenant. */
export function judgeFirstFrames(evidence: Evidence): string[] {
  if (evidence.viewers.length === 0) return [];
  const ownerOf = owners(evidence);
  return evidence.viewers.flatMap(({ connectionId, tenant, frames: [first, ...others] }) => {
    if (!first) return [];
    const isHello = first.body.type === "hello";
    return [
      ...(isHello ? [] : [`the first frame of ${connectionId} is ${first.body.type}`]),
      ...others.flatMap((frame) => {
        const isOwn = !hasEnvelope(frame) || frame.body.tenant_id === tenant;
        const foreign = wordsOf(frame).filter((word) => ownerOf.get(word) !== tenant);
        return isOwn && foreign.length === 0
          ? []
          : [`${frame.body.type} with ${foreign.join(" ")} is in a frame of ${tenant}`];
      }),
    ];
  });
}

/** A repetition of an event has its id, at endpoints and in frames, and an id stands for one thing. */
export function judgeFrameIds({ viewers, posts, erasures }: Evidence): string[] {
  if (viewers.length === 0) return [];
  const ids = new Map<string, Set<string>>();
  const things = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, name: string, value: string) =>
    map.set(name, (map.get(name) ?? new Set()).add(value));
  for (const post of posts)
    if (onceTypes.has(post.type)) add(ids, `${post.type} of ${messageIdOf(post)}`, post.eventId);
  for (const { body } of viewers.flatMap(({ frames }) => frames.filter(hasEnvelope))) {
    const { type, id, data } = body;
    add(things, id, `${type} of ${data.message?.id ?? data.conversation?.id ?? data.hold?.id ?? ""}`);
    if (onceTypes.has(type)) add(ids, `${type} of ${data.message.id}`, id);
    if (data.conversation?.erased) add(ids, `the erasure of ${data.conversation.id}`, id);
  }
  const most = (name: string) => {
    const person = people.find((each) => name === `the erasure of ${conversationOf(each.name)}`);
    return person ? erasures.filter((erasure) => erasure.person === person.name).length : 1;
  };
  return [
    ...[...ids].flatMap(([name, all]) => (all.size > most(name) ? [`${name} has ${all.size} event ids`] : [])),
    ...[...things].flatMap(([id, all]) => (all.size > 1 ? [`${id} is ${[...all].join(" and ")}`] : [])),
  ];
}

/** After the frame that a conversation was erased, no frame has what it was. */
export function judgeErasedFrames(evidence: Evidence): string[] {
  // A worker that hangs may send what it read before.
  if (evidence.viewers.length === 0 || mayHang(evidence)) return [];
  return evidence.viewers.flatMap((viewer) =>
    people.flatMap(({ name }) => {
      const erased = viewer.frames.find((frame) => isErasedFrame(frame, name));
      if (!erased) return [];
      const texts = new Set(textsBefore(evidence, name, ulidTime(erased.body.id.slice("evt_".length))));
      return viewer.frames
        .slice(viewer.frames.indexOf(erased) + 1)
        .flatMap((frame) =>
          wordsOf(frame).some((word) => texts.has(word))
            ? [`${wordsOf(frame).join(" ")} came ${frame.at - erased.at} ms after the frame of its erasure`]
            : [],
        );
    }),
  );
}

const isErasedFrame = ({ body }: StreamFrame, person: string) =>
  body.data?.conversation?.erased === true && body.data.conversation.id === conversationOf(person);

/** Whether a worker of the stream may have stood still for as long as the frame of an erasure waits. */
function mayHang({ history }: Evidence): boolean {
  const steps = history.steps.map(([step]) => step);
  const frozenFor = steps.map((step) =>
    step.do === "trouble" && step.name === "push" && step.kind.startsWith("freeze") ? step.millis : 0,
  );
  const total = frozenFor.reduce((sum, millis) => sum + millis, 0);
  return total > HANGS_AFTER || steps.some((step) => step.do === "gateway" && step.mode !== "ok");
}

const HANGS_AFTER: Millis = 1.5 * SECOND;

/** Whether the viewer's connection has its first frame. */
export function helloOf({ frames }: Viewer): StreamFrame | null {
  return frames.find(({ body }) => body.type === "hello") ?? null;
}
