import { Link } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { Tag } from "../admin/tag.tsx";
import { StaleLine } from "../common/stale-line.tsx";
import { useWorkspace } from "../data/workspace.tsx";
import { HourBars } from "../hours/hour-bars.tsx";
import { deliveryHours, type Stats } from "../hours/hours.ts";
import { sidePath } from "../paths.ts";
import { countsLine, endpointState } from "../webhooks/endpoint-state.ts";
import { byUrgency } from "./account-health.ts";
import { texts } from "./texts.ts";
import { useEndpoints } from "./use-endpoints.ts";

/** The deliveries of each endpoint in the last 24 hours, those that need attention first. */
export function DeliveriesPanel({ stats }: { stats: Stats | undefined }) {
  const { tenant } = useWorkspace();
  const { data, error, isPending, refetch } = useEndpoints();
  const again = () => void refetch();
  const endpoints = (data?.endpoints ?? []).map((endpoint) => ({ endpoint, ...endpointState(endpoint) }));
  return (
    <section className="panel" aria-labelledby="deliveries">
      <h2 id="deliveries">{texts.deliveries}</h2>
      {isPending ? <Loading /> : null}
      {error && !data ? <LoadProblem error={error} onAgain={again} /> : null}
      {error && data ? <StaleLine what={texts.mayBeOld} error={error} onAgain={again} /> : null}
      {data && endpoints.length === 0 ? (
        <p className="soft">
          {texts.noEndpoints}{" "}
          <Link className="link" href={sidePath(tenant, "webhooks")}>
            {texts.addEndpoint}
          </Link>
        </p>
      ) : null}
      <ul>
        {byUrgency(endpoints).map(({ endpoint, tone, words }) => {
          const { id, url } = endpoint;
          const counts = countsLine(endpoint, stats);
          return (
            <li key={id}>
              <Link className="line" href={sidePath(tenant, "webhooks", id)}>
                <span className="main">
                  <b className="mono" dir="ltr">
                    {printableText(url).replace(/^https:\/\//, "")}
                  </b>
                  <small>{counts.words}</small>
                </span>
                {tone === "ok" ? null : <Tag tone={tone}>{words}</Tag>}
                {stats?.series ? <HourBars hours={deliveryHours(stats.series, id)} /> : null}
                <b className="share">{counts.share}</b>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
