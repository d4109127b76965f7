import { CirclePause, Clock, Hourglass, KeyRound, TriangleAlert } from "lucide-react";
import { Note } from "../admin/note.tsx";
import { pastTime } from "../admin/times.ts";
import { useNotices } from "../common/notices.tsx";
import { deadline } from "../common/times.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { instant } from "../data/types.ts";
import { useServerTime } from "../data/workspace.tsx";
import { type Endpoint, isCircuitOpen, isPausedByParley } from "./endpoint-state.ts";
import { texts } from "./texts.ts";
import { useEndpointCalls } from "./use-endpoint-calls.ts";

/** What of an endpoint needs attention. */
export function EndpointNotes({ endpoint }: { endpoint: Endpoint }) {
  const now = useServerTime();
  const { state, since, last_error: lastError } = endpoint.health;
  const startedAt = instant(since);
  const previousUntil = endpoint.secondary_active ? instant(endpoint.secondary_expires_at) : null;
  return (
    <>
      {endpoint.status === "paused" ? <PausedNote endpoint={endpoint} /> : null}
      {isCircuitOpen(endpoint) ? <CircuitNote endpoint={endpoint} now={now} /> : null}
      {state === "failing" && startedAt !== null ? (
        <Note Icon={TriangleAlert} title={texts.failingNote(pastTime(startedAt, now))}>
          {failureWords(lastError)}
        </Note>
      ) : null}
      {state === "slow" ? (
        <Note Icon={Hourglass} title={texts.slowNote}>
          {texts.slowNoteText}
        </Note>
      ) : null}
      {previousUntil === null ? null : (
        <Note Icon={KeyRound} tone="plain" title={texts.secondaryNote(deadline(previousUntil, now))} />
      )}
    </>
  );
}

function PausedNote({ endpoint }: { endpoint: Endpoint }) {
  const { show } = useNotices();
  const { isBusy, run } = useOneAtATime();
  const { resume } = useEndpointCalls(endpoint);
  const isByParley = isPausedByParley(endpoint);
  const press = async () => {
    const problem = await resume();
    if (problem !== null) show({ text: problem, kind: "problem" });
  };
  return (
    <Note
      Icon={CirclePause}
      tone={isByParley ? "bad" : "warn"}
      title={isByParley ? texts.pausedByParleyNote : texts.pausedNote}
      action={
        <button type="button" className="btn" aria-disabled={isBusy} onClick={() => void run(press)}>
          {texts.resume}
        </button>
      }
    >
      {texts.pausedNoteText}
    </Note>
  );
}

function CircuitNote({ endpoint: { health }, now }: { endpoint: Endpoint; now: number }) {
  const openedAt = instant(health.since);
  const probeAt = instant(health.next_try_at);
  return (
    <Note Icon={Clock} title={openedAt === null ? texts.states.open : texts.circuitNote(pastTime(openedAt, now))}>
      {texts.circuitText(probeAt === null || probeAt <= now ? null : deadline(probeAt, now))}{" "}
      {failureWords(health.last_error)}
    </Note>
  );
}

/** Why the newest attempt failed, in a sentence; null where it is not known. */
function failureWords(error: Endpoint["health"]["last_error"]): string | null {
  if (error === null) return null;
  return texts.lastFailure(error === "status" ? texts.statusFailure : (texts.errors[error] ?? error));
}
