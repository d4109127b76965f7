import { StaleLine } from "../common/stale-line.tsx";
import { HourBars } from "../hours/hour-bars.tsx";
import { deliveryHours } from "../hours/hours.ts";
import { useStats } from "../hours/use-stats.ts";
import { countsLine, type Endpoint } from "./endpoint-state.ts";
import { texts } from "./texts.ts";

/** The deliveries of an endpoint in the last 24 hours: a bar for each hour, and their counts. */
export function EndpointDay({ endpoint }: { endpoint: Endpoint }) {
  const { data, error, refetch } = useStats();
  const { share, words } = countsLine(endpoint, data);
  return (
    <>
      {error && !data ? <StaleLine what={texts.barsFailed} error={error} onAgain={() => void refetch()} /> : null}
      <section className="endpoint-day" aria-label={texts.day}>
        <HourBars hours={data?.series ? deliveryHours(data.series, endpoint.id) : []} />
        <p>
          {share === "" ? null : <b>{share}</b>} {words}
          <small>{texts.countsNote}</small>
        </p>
      </section>
    </>
  );
}
