import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { Tag } from "../admin/tag.tsx";
import { StaleLine } from "../common/stale-line.tsx";
import { useWorkspace } from "../data/workspace.tsx";
import { HourBars } from "../hours/hour-bars.tsx";
import { deliveryHours, type Stats } from "../hours/hours.ts";
import { useStats } from "../hours/use-stats.ts";
import { sidePath } from "../paths.ts";
import { Catalog } from "./catalog.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointPage } from "./endpoint-page.tsx";
import { countsLine, type Endpoint, endpointState, eventsLine } from "./endpoint-state.ts";
import { SigningSecret } from "./signing-secret.tsx";
import { texts } from "./texts.ts";
import "./webhooks.css";

/** The endpoints of the workspace, or one of them. @param ids of an endpoint, and of a delivery that is open in it */
export function WebhooksPage({ ids: [endpoint, delivery] }: { ids: readonly string[] }) {
  if (endpoint === undefined) return <EndpointList />;
  return <EndpointPage key={endpoint} id={endpoint} deliveryId={delivery ?? null} />;
}

function EndpointList() {
  const { parley, tenant } = useWorkspace();
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState<"form" | "catalog" | null>(null);
  const [created, setCreated] = useState<{ endpoint: Endpoint; secret: string } | null>(null);
  const endpoints = useQuery({ queryKey: ["webhooks", tenant], queryFn: () => parley.webhooks.list() });
  const stats = useStats();
  const rows: readonly Endpoint[] = endpoints.data?.endpoints ?? [];
  const close = () => setOpened(null);
  return (
    <AdminPage
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          <button type="button" className="btn" onClick={() => setOpened("catalog")}>
            {texts.catalog}
          </button>
          <button type="button" className="btn first" onClick={() => setOpened("form")}>
            {texts.add}
          </button>
        </>
      }
    >
      {endpoints.isPending ? <Loading /> : null}
      {endpoints.error ? <LoadProblem error={endpoints.error} onAgain={() => void endpoints.refetch()} /> : null}
      {endpoints.data && rows.length === 0 ? <p className="blank-page">{texts.none}</p> : null}
      {rows.length > 0 ? (
        <>
          <ul className="rowset" aria-label={texts.list}>
            {rows.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} stats={stats.data} />
            ))}
          </ul>
          {stats.error ? (
            <StaleLine what={texts.barsFailed} error={stats.error} onAgain={() => void stats.refetch()} />
          ) : (
            <p className="foot-note">{texts.countsNote}</p>
          )}
        </>
      ) : null}
      {opened === "catalog" ? <Catalog onClose={close} /> : null}
      {opened === "form" ? (
        <EndpointForm
          endpoint={null}
          onClose={close}
          onSaved={(endpoint, secret) => {
            close();
            void endpoints.refetch();
            if (secret !== null) setCreated({ endpoint, secret });
          }}
        />
      ) : null}
      {created ? (
        <SigningSecret
          endpoint={created.endpoint}
          secret={created.secret}
          text={texts.secretText}
          onClose={() => {
            setCreated(null);
            navigate(sidePath(tenant, "webhooks", created.endpoint.id), { replace: true });
          }}
        />
      ) : null}
    </AdminPage>
  );
}

interface EndpointRowProps {
  readonly endpoint: Endpoint;
  /** Undefined while they are not known. */
  readonly stats: Stats | undefined;
}

function EndpointRow({ endpoint, stats }: EndpointRowProps) {
  const { tenant } = useWorkspace();
  const { tone, words } = endpointState(endpoint);
  const counts = countsLine(endpoint, stats);
  return (
    <li>
      <Link className="line" href={sidePath(tenant, "webhooks", endpoint.id)}>
        <span className="main">
          <b className="mono" dir="ltr">
            {printableText(endpoint.url)}
          </b>
          <small>{eventsLine(endpoint.events)}</small>
        </span>
        <Tag tone={tone}>{words}</Tag>
        {stats?.series ? <HourBars hours={deliveryHours(stats.series, endpoint.id)} /> : null}
        <span className="counts">
          <b>{counts.share}</b>
          <small>{counts.words}</small>
        </span>
      </Link>
    </li>
  );
}
