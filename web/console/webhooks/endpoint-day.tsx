import { StaleLine } from "../common/stale-line.tsx";
import { HourBars } from "../hours/hour-bars.tsx";
import { deliveryHours } from "../hours/hours.ts";
import { useStats } from "../hours/use-stats.ts";
import { countsLine } from "./endpoint-state.ts";
import { texts } from "./texts.ts";

/** The deliveries of an endpoint in the last 24 hours: a bar for each hour, and their counts. */
export function EndpointDay({ id }: { id: string }) {
  const { data, error, refetch } = useStats();
  if (error && !data) return <StaleLine what={texts.countsFailed} error={error} onAgain={() => void refetch()} />;
  const { share, words } = countsLine(data?.endpoints.find((each) => each.endpoint_id === id));
  return (
    <section className="endpoint-day" aria-label={texts.day}>
      <HourBars hours={data?.series ? deliveryHours(data.series, id) : []} />
      <p>
        {share === "" ? null : <b>{share}</b>} {data ? words : null}
        <small>{texts.countsNote}</small>
      </p>
    </section>
  );
}
