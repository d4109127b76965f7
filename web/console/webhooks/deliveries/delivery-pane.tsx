import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { ConfirmDialog } from "../../admin/confirm-dialog.tsx";
import { Loading, LoadProblem } from "../../admin/load-problem.tsx";
import { isNotFound } from "../../admin/problems.ts";
import { Tag } from "../../admin/tag.tsx";
import { useNotices } from "../../common/notices.tsx";
import { useCopy } from "../../common/use-copy.ts";
import { useOneAtATime } from "../../common/use-one-at-a-time.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { sidePath } from "../../paths.ts";
import { signedRequest } from "../curl.ts";
import type { Endpoint } from "../endpoint-state.ts";
import { Json } from "../json.tsx";
import { webhookProblem } from "../problems.ts";
import { texts } from "../texts.ts";
import { useEndpointCalls } from "../use-endpoint-calls.ts";
import { Attempts } from "./attempts.tsx";
import { rowId } from "./deliveries.tsx";
import { type DeliveryDetail, deliveryState, isUnderWay } from "./delivery-words.ts";

/** One delivery: its attempts, the body of its event, and sending it again. */
export function DeliveryPane({ endpoint, id }: { endpoint: Endpoint; id: string }) {
  const { parley, tenant } = useWorkspace();
  const [, navigate] = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  const query = useQuery({
    queryKey: ["delivery", tenant, endpoint.id, id],
    queryFn: async () => (await parley.deliveries.get(endpoint.id, id)).delivery,
  });
  useEffect(() => heading.current?.focus(), []);
  const close = () => {
    navigate(sidePath(tenant, "webhooks", endpoint.id));
    requestAnimationFrame(() => document.getElementById(rowId(id))?.focus());
  };
  const delivery = query.data;
  return (
    <section className="detail" aria-label={texts.delivery}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {delivery ? <span className="mono">{delivery.event_type}</span> : texts.delivery}
        </h2>
        <button type="button" className="icon" aria-label={texts.closeDelivery} onClick={close}>
          <X size={18} />
        </button>
      </header>
      {query.isPending ? <Loading /> : null}
      {query.error && !delivery ? (
        isNotFound(query.error) ? (
          <p role="alert">{texts.deliveryMissing}</p>
        ) : (
          <LoadProblem error={query.error} onAgain={() => void query.refetch()} />
        )
      ) : null}
      {delivery ? <Details endpoint={endpoint} delivery={delivery} /> : null}
    </section>
  );
}

function Details({ endpoint, delivery }: { endpoint: Endpoint; delivery: DeliveryDetail }) {
  const copy = useCopy();
  const { tone, words } = deliveryState(delivery.status);
  const { event, event_id: eventId, event_type: eventType } = delivery;
  const copyCurl = () =>
    copy(signedRequest({ url: endpoint.url, body: JSON.stringify(event), eventId, eventType }), texts.copiedCurl);
  return (
    <>
      <div className="detail-state">
        <Tag tone={tone}>{words}</Tag>
        {endpoint.status === "deleted" ? null : <Replay endpoint={endpoint} delivery={delivery} />}
        <p className="mono breaks">
          {eventId} · {delivery.delivery_id}
        </p>
      </div>
      <section>
        <h3>{texts.attempts}</h3>
        <Attempts delivery={delivery} />
      </section>
      <section>
        <div className="part-head">
          <h3>{texts.body}</h3>
          {event === null ? null : (
            <button type="button" className="btn quiet small" onClick={() => void copyCurl()}>
              {texts.copyCurl}
            </button>
          )}
        </div>
        {event === null ? <p className="soft">{texts.bodyGone}</p> : <Json value={event} label={texts.body} />}
      </section>
    </>
  );
}

function Replay({ endpoint, delivery }: { endpoint: Endpoint; delivery: DeliveryDetail }) {
  const { parley } = useWorkspace();
  const { show } = useNotices();
  const [isAsked, setAsked] = useState(false);
  const { isBusy, run } = useOneAtATime();
  const { rereadDeliveries } = useEndpointCalls(endpoint);
  const isDelivered = delivery.status === "delivered";
  const cannot = isUnderWay(delivery.status) ? texts.underWay : delivery.event === null ? texts.expired : null;
  const replay = async (): Promise<string | null> => {
    try {
      await parley.deliveries.replay(endpoint.id, delivery.delivery_id, isDelivered ? { force: "true" } : {});
      show({ text: texts.replayed });
      return null;
    } catch (error) {
      return webhookProblem(error);
    } finally {
      void rereadDeliveries();
    }
  };
  const press = async () => {
    if (isDelivered) return setAsked(true);
    const problem = await replay();
    if (problem !== null) show({ text: problem, kind: "problem" });
  };
  if (cannot !== null) return <span className="soft push">{cannot}</span>;
  return (
    <>
      <button type="button" className="btn small push" aria-disabled={isBusy} onClick={() => void run(press)}>
        {texts.replay}
      </button>
      {isAsked ? (
        <ConfirmDialog
          title={texts.replayTitle}
          confirm={texts.replay}
          onConfirm={replay}
          onClose={() => setAsked(false)}
        >
          <p>{texts.replayText}</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
