import { CirclePause, Clock, KeyRound, TriangleAlert } from "lucide-react";
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
  const failingSince = instant(endpoint.failing_since);
  const previousUntil = endpoint.secondary_active ? instant(endpoint.secondary_expires_at) : null;
  return (
    <>
      {endpoint.status === "paused" ? <PausedNote endpoint={endpoint} /> : null}
      {isCircuitOpen(endpoint) ? <CircuitNote endpoint={endpoint} now={now} /> : null}
      {failingSince === null || endpoint.status !== "active" || isCircuitOpen(endpoint) ? null : (
        <Note Icon={TriangleAlert} title={texts.failingNote(pastTime(failingSince, now))} />
      )}
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

function CircuitNote({ endpoint: { circuit }, now }: { endpoint: Endpoint; now: number }) {
  const openedAt = instant(circuit.opened_at);
  const probeAt = instant(circuit.next_probe_at);
  return (
    <Note Icon={Clock} title={openedAt === null ? texts.states.open : texts.circuitNote(pastTime(openedAt, now))}>
      {texts.circuitText(probeAt === null ? null : deadline(probeAt, now))}
    </Note>
  );
}
