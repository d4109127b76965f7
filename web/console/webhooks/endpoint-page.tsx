import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { isNotFound } from "../admin/problems.ts";
import { Tag } from "../admin/tag.tsx";
import { pastDay } from "../admin/times.ts";
import { instant } from "../data/types.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { sidePath } from "../paths.ts";
import { Deliveries } from "./deliveries/deliveries.tsx";
import { DeliveryPane } from "./deliveries/delivery-pane.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointDay } from "./endpoint-day.tsx";
import { EndpointNotes } from "./endpoint-notes.tsx";
import { type Endpoint, endpointState, eventsLine } from "./endpoint-state.ts";
import { texts } from "./texts.ts";

/** How often an endpoint that needs attention is read while its page is seen. */
const EVERY_MS = 15_000;

/** One endpoint: its state, what can be done with it, and its deliveries. */
export function EndpointPage({ id, deliveryId }: { id: string; deliveryId: string | null }) {
  const { parley, tenant } = useWorkspace();
  const now = useServerTime();
  const query = useQuery({
    queryKey: ["webhook", tenant, id],
    queryFn: async () => (await parley.webhooks.get(id)).endpoint as Endpoint,
    // Someone who mends the receiver waits here for the next probe.
    refetchInterval: ({ state: { data } }) =>
      data?.status === "active" && data.health.state !== "ok" ? EVERY_MS : false,
  });
  const parent = { label: texts.title, href: sidePath(tenant, "webhooks") };
  const endpoint = query.data;
  if (!endpoint) {
    return (
      <AdminPage title={query.isPending ? texts.title : texts.missing} parent={parent}>
        {query.isPending ? <Loading /> : null}
        {isNotFound(query.error) ? (
          <div className="load-problem" role="alert">
            <p>{texts.missingText}</p>
            <Link className="btn" href={parent.href}>
              {texts.goToList}
            </Link>
          </div>
        ) : null}
        {query.error && !isNotFound(query.error) ? (
          <LoadProblem error={query.error} onAgain={() => void query.refetch()} />
        ) : null}
      </AdminPage>
    );
  }
  const { tone, words } = endpointState(endpoint);
  const day = pastDay(instant(endpoint.created_at) ?? now, now);
  return (
    <AdminPage
      title={printableText(endpoint.url)}
      intro={
        <>
          <Tag tone={tone}>{words}</Tag> {texts.about(eventsLine(endpoint.events), endpoint.signing_secret_prefix, day)}
        </>
      }
      parent={parent}
      actions={endpoint.status === "deleted" ? null : <EndpointActions endpoint={endpoint} />}
      isWide
    >
      <EndpointNotes endpoint={endpoint} />
      {endpoint.status === "deleted" ? null : <EndpointDay endpoint={endpoint} />}
      <div className={deliveryId === null ? "split" : "split open"}>
        <Deliveries endpoint={endpoint} openId={deliveryId} />
        {deliveryId === null ? null : <DeliveryPane key={deliveryId} endpoint={endpoint} id={deliveryId} />}
      </div>
    </AdminPage>
  );
}
