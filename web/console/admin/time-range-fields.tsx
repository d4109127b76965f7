import { useWorkspace } from "../data/workspace.tsx";
import { texts } from "./texts.ts";
import { endOfMinute, fromField, rangeOfSpan, type Span, type TimeRange, toField } from "./time-range.ts";

interface TimeRangeFieldsProps {
  readonly range: TimeRange;
  readonly spans: readonly Span[];
  readonly onChange: (range: TimeRange) => void;
}

/** Chooses a span of time; "between" shows two fields, in the time zone of the browser. */
export function TimeRangeFields({ range, spans, onChange }: TimeRangeFieldsProps) {
  const { clock } = useWorkspace();
  return (
    <>
      <select
        aria-label={texts.time}
        data-on={range.span !== "any"}
        value={range.span}
        onChange={(event) => onChange(rangeOfSpan(event.currentTarget.value as Span, clock.now()))}
      >
        {spans.map((span) => (
          <option key={span} value={span}>
            {texts.spans[span]}
          </option>
        ))}
      </select>
      {range.span === "own" ? <OwnRange range={range} onChange={onChange} /> : null}
    </>
  );
}

/** Two instants. */
export function OwnRange({ range, onChange }: Pick<TimeRangeFieldsProps, "range" | "onChange">) {
  return (
    <>
      <label className="field">
        <span>{texts.from}</span>
        <input
          type="datetime-local"
          value={toField(range.from)}
          onChange={(event) => onChange({ ...range, from: fromField(event.currentTarget.value) })}
        />
      </label>
      <label className="field">
        <span>{texts.to}</span>
        <input
          type="datetime-local"
          value={toField(range.to)}
          onChange={(event) => {
            const minute = fromField(event.currentTarget.value);
            onChange({ ...range, to: minute === null ? null : endOfMinute(minute) });
          }}
        />
      </label>
    </>
  );
}
