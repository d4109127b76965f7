import { RotateCw } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import type { Delivery } from "#client";
import { PagedRows } from "../../admin/paged-rows.tsx";
import { Tag } from "../../admin/tag.tsx";
import { texts as shared } from "../../admin/texts.ts";
import { TimeRangeFields } from "../../admin/time-range-fields.tsx";
import { rowTime } from "../../admin/times.ts";
import { useRows } from "../../admin/use-rows.ts";
import { fullTime } from "../../common/times.ts";
import { useServerTime, useWorkspace } from "../../data/workspace.tsx";
import { sidePath } from "../../paths.ts";
import type { Endpoint, EventType } from "../endpoint-state.ts";
import { texts } from "../texts.ts";
import { allDeliveries, type DeliveryFilter, deliveryQuery, isFiltered } from "./delivery-filter.ts";
import { answerWords, deliveryState, durationWords, statuses } from "./delivery-words.ts";
import { ReplayDialog } from "./replay-dialog.tsx";

/** The deliveries of an endpoint, newest first, page by page. */
export function Deliveries({ endpoint, openId }: { endpoint: Endpoint; openId: string | null }) {
  const { parley, tenant } = useWorkspace();
  const [filter, setFilter] = useState(allDeliveries);
  const [isReplaying, setReplaying] = useState(false);
  const parameters = deliveryQuery(filter);
  const query = useRows(["deliveries", tenant, endpoint.id, parameters], async (cursor) => {
    const page = await parley.deliveries.list(endpoint.id, { ...parameters, ...(cursor ? { cursor } : {}) });
    return { rows: page.deliveries, next: page.next_cursor };
  });
  const { rows } = query;
  return (
    <section className="list-part" aria-label={texts.deliveries}>
      <div className="filter-bar">
        <Filters filter={filter} events={endpoint.events} onChange={setFilter} />
        <button type="button" className="icon" title={shared.refresh} onClick={() => void query.refetch()}>
          <RotateCw size={16} aria-hidden="true" />
          <span className="unseen">{shared.refresh}</span>
        </button>
        {endpoint.status === "deleted" ? null : (
          <button type="button" className="btn small push" onClick={() => setReplaying(true)}>
            {texts.replayMany}
          </button>
        )}
      </div>
      <PagedRows query={query} none={isFiltered(filter) ? texts.noMatch : texts.noDeliveries}>
        <DeliveryTable endpoint={endpoint} rows={rows} openId={openId} />
      </PagedRows>
      {isReplaying ? (
        <ReplayDialog endpoint={endpoint} range={filter.range} onClose={() => setReplaying(false)} />
      ) : null}
    </section>
  );
}

interface FiltersProps {
  readonly filter: DeliveryFilter;
  readonly events: readonly EventType[];
  readonly onChange: (filter: DeliveryFilter) => void;
}

function Filters({ filter, events, onChange }: FiltersProps) {
  return (
    <>
      <select
        aria-label={texts.status}
        data-on={filter.status !== null}
        value={filter.status ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...filter, status: (value || null) as DeliveryFilter["status"] })
        }
      >
        <option value="">{texts.anyStatus}</option>
        <option value="undelivered">{texts.notDelivered}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {texts.statuses[status]}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.event}
        data-on={filter.eventType !== null}
        value={filter.eventType ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...filter, eventType: (value || null) as EventType | null })
        }
      >
        <option value="">{texts.anyEvent}</option>
        {[...new Set([...events, "test.event" as const])].map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </select>
      <TimeRangeFields
        range={filter.range}
        spans={["any", "hour", "day", "week", "own"]}
        onChange={(range) => onChange({ ...filter, range })}
      />
    </>
  );
}

interface DeliveryTableProps {
  readonly endpoint: Endpoint;
  readonly rows: readonly Delivery[];
  readonly openId: string | null;
}

function DeliveryTable({ endpoint, rows, openId }: DeliveryTableProps) {
  const { tenant } = useWorkspace();
  const now = useServerTime();
  return (
    <div className="rowset">
      <table className="cards">
        <thead>
          <tr>
            <th>{texts.status}</th>
            <th>{texts.event}</th>
            <th className="r far">{texts.attempts}</th>
            <th className="far">{texts.lastAnswer}</th>
            <th className="r far">{texts.took}</th>
            <th className="r">{texts.created}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { tone, words } = deliveryState(row.status);
            const isOpen = row.delivery_id === openId;
            return (
              <tr key={row.delivery_id} data-open={isOpen}>
                <td>
                  <Tag tone={tone}>{words}</Tag>
                </td>
                <td className="wide">
                  <Link
                    id={rowId(row.delivery_id)}
                    className="mono row-link"
                    href={sidePath(tenant, "webhooks", endpoint.id, row.delivery_id)}
                    aria-current={isOpen ? "true" : undefined}
                  >
                    {row.event_type}
                  </Link>
                </td>
                <td className="r far">{row.attempt_number}</td>
                <td className="far">{answerWords(row.last_response_status, row.last_error)}</td>
                <td className="r far">{durationWords(row.last_duration_ms)}</td>
                <td className="r" title={fullTime(row.created_at)}>
                  {rowTime(row.created_at, now)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The element of a row, to which the focus returns when its delivery is closed. */
export function rowId(deliveryId: string): string {
  return `row-${deliveryId}`;
}
