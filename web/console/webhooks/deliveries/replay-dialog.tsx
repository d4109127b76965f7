import { useEffect, useRef, useState } from "react";
import { rangeOfSpan, rangeQuery, type TimeRange } from "../../admin/time-range.ts";
import { OwnRange } from "../../admin/time-range-fields.tsx";
import { useOneAtATime } from "../../common/use-one-at-a-time.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { Endpoint } from "../endpoint-state.ts";
import { webhookProblem } from "../problems.ts";
import { texts } from "../texts.ts";
import { useEndpointCalls } from "../use-endpoint-calls.ts";
import { replayable } from "./delivery-words.ts";
import { type Counted, countRange, type Replayed, replayRange } from "./replay-range.ts";

interface ReplayDialogProps {
  readonly endpoint: Endpoint;
  /** The range of the list. */
  readonly range: TimeRange;
  readonly onClose: () => void;
}

const PAGE = 100;
const number = new Intl.NumberFormat();

/** Sends the deliveries of a range again that were not delivered, after their count. */
export function ReplayDialog({ endpoint, range: listed, onClose }: ReplayDialogProps) {
  const { parley, clock } = useWorkspace();
  const { rereadDeliveries } = useEndpointCalls(endpoint);
  const [range, setRange] = useState<TimeRange>(() => ({
    ...rangeOfSpan("own", clock.now()),
    ...(listed.from === null ? {} : { from: listed.from }),
    ...(listed.to === null ? {} : { to: listed.to }),
  }));
  const [statuses, setStatuses] = useState<ReadonlySet<string>>(
    () => new Set(endpoint.status === "paused" ? [] : replayable),
  );
  const [counted, setCounted] = useState<Counted | null>(null);
  const [done, setDone] = useState<Replayed | null>(null);
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const end = useRef(new AbortController());
  useEffect(() => () => end.current.abort(), []);
  const status = replayable.filter((each) => statuses.has(each)).join(",");
  const parameters = { ...rangeQuery(range), status, limit: PAGE };
  const isValid = range.from !== null && range.to !== null && range.from < range.to && status !== "";

  const change = (next: () => void) => {
    next();
    setCounted(null);
    setDone(null);
    setSaid("");
    setProblem("");
  };
  const work = (task: (signal: AbortSignal) => Promise<void>) =>
    run(async () => {
      end.current = new AbortController();
      setProblem("");
      try {
        await task(end.current.signal);
      } catch (error) {
        setProblem(webhookProblem(error));
        setSaid("");
      }
    });
  const count = () =>
    work(async (signal) => {
      const onCount = (sum: number) => setSaid(texts.counting(number.format(sum)));
      const load = async (cursor?: string) => {
        const page = await parley.deliveries.list(endpoint.id, { ...parameters, ...(cursor ? { cursor } : {}) });
        return { count: page.deliveries.length, next: page.next_cursor };
      };
      const result = await countRange(load, onCount, signal);
      setCounted(result);
      setSaid(texts.counted(countWords(result)));
    });
  const replay = () =>
    work(async (signal) => {
      const onProgress = ({ started }: Replayed) => setSaid(texts.replaying(number.format(started)));
      const call = (cursor?: string) =>
        parley.deliveries.replayAll(endpoint.id, { ...parameters, ...(cursor ? { cursor } : {}) });
      const result = await replayRange(call, { from: done, onProgress, signal });
      setDone(result);
      setSaid(texts.replayedMany(number.format(result.started), number.format(result.skipped)));
      if (result.problem !== null) setProblem(webhookProblem(result.problem));
      void rereadDeliveries();
    });
  const isAtEnd = done !== null && done.cursor === null && done.problem === null;
  return (
    <Dialog title={texts.replayManyTitle} onClose={onClose} isRequired={isBusy}>
      <div className="form">
        <p className="soft">{texts.replayManyText}</p>
        {endpoint.status === "paused" ? <p className="problem">{texts.pausedReplay}</p> : null}
        <fieldset className="range" disabled={isBusy}>
          <legend className="unseen">{texts.created}</legend>
          <OwnRange range={range} onChange={(next) => change(() => setRange(next))} />
        </fieldset>
        <fieldset className="choice-list" disabled={isBusy}>
          <legend>{texts.status}</legend>
          {replayable.map((each) => (
            <label key={each} className="check">
              <input
                type="checkbox"
                checked={statuses.has(each)}
                onChange={() => change(() => setStatuses(toggled(statuses, each)))}
              />
              {texts.statuses[each]}
            </label>
          ))}
        </fieldset>
        {range.from !== null && range.to !== null && range.from >= range.to ? (
          <p className="problem">{texts.rangeProblem}</p>
        ) : null}
        <p role="status">{said}</p>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="acts">
          {isBusy ? (
            <button type="button" className="btn" onClick={() => end.current.abort()}>
              {texts.stop}
            </button>
          ) : null}
          {counted === null && !isBusy ? (
            <button
              type="button"
              className="btn first"
              aria-disabled={!isValid}
              onClick={() => isValid && void count()}
            >
              {texts.count}
            </button>
          ) : null}
          {counted !== null && counted.count > 0 && !isBusy && !isAtEnd ? (
            <button type="button" className="btn first" onClick={() => void replay()}>
              {done === null ? texts.replayCount(countWords(counted)) : texts.goOn}
            </button>
          ) : null}
          {isAtEnd && !isBusy ? (
            <button type="button" className="btn" onClick={onClose}>
              {texts.close}
            </button>
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}

function countWords({ count, isMore }: Counted): string {
  return `${number.format(count)}${isMore ? "+" : ""}`;
}

function toggled(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}
