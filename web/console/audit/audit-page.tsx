import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { AuditEntry } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import { PagedRows } from "../admin/paged-rows.tsx";
import { texts as shared } from "../admin/texts.ts";
import { TimeRangeFields } from "../admin/time-range-fields.tsx";
import { pastTime } from "../admin/times.ts";
import { useRows } from "../admin/use-rows.ts";
import { fullTime } from "../common/times.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { resourceWords } from "./actors.ts";
import { type AuditFilter, auditQuery, everything, isMatch } from "./audit-filter.ts";
import { toCsv } from "./csv.ts";
import { download } from "./download.ts";
import { type Action, actionName, actions, sentenceOf } from "./sentences.ts";
import { texts } from "./texts.ts";
import { useActors } from "./use-actors.ts";
import "./audit.css";

const PAGE = 100;

/** The audit log in sentences, newest first, page by page. */
export function AuditPage() {
  const { parley, tenant } = useWorkspace();
  const [filter, setFilter] = useState(everything);
  const { nameOf, actors } = useActors();
  const parameters = auditQuery(filter);
  const query = useRows(["audit", tenant, parameters], async (cursor) => {
    const page = await parley.audit.list({ ...parameters, limit: PAGE, ...(cursor ? { cursor } : {}) });
    return { rows: page.audit.filter((entry) => isMatch(filter, entry)), next: page.next_cursor };
  });
  const { rows } = query;
  const isFiltered = Object.keys(parameters).length > 0;
  return (
    <AdminPage
      title={texts.title}
      intro={texts.intro}
      actions={
        <button
          type="button"
          className="btn"
          title={texts.csvNote}
          aria-disabled={rows.length === 0}
          onClick={() => (rows.length === 0 ? undefined : download(`audit-${tenant}.csv`, toCsv(rows, nameOf)))}
        >
          {texts.csv}
        </button>
      }
    >
      <div className="filter-bar">
        <Filters filter={filter} actors={actors} nameOf={nameOf} onChange={setFilter} />
        <button type="button" className="icon" title={shared.refresh} onClick={() => void query.refetch()}>
          <RotateCw size={16} aria-hidden="true" />
          <span className="unseen">{shared.refresh}</span>
        </button>
      </div>
      <PagedRows query={query} none={isFiltered ? texts.noMatch : texts.none}>
        <AuditTable rows={rows} nameOf={nameOf} />
      </PagedRows>
    </AdminPage>
  );
}

interface FiltersProps {
  readonly filter: AuditFilter;
  readonly actors: readonly string[];
  readonly nameOf: (actor: string) => string;
  readonly onChange: (filter: AuditFilter) => void;
}

function Filters({ filter, actors, nameOf, onChange }: FiltersProps) {
  return (
    <>
      <select
        aria-label={texts.action}
        data-on={filter.action !== null}
        value={filter.action ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, action: (value || null) as Action | null })}
      >
        <option value="">{texts.anyAction}</option>
        {actions.map((action) => (
          <option key={action} value={action}>
            {actionName(action)}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.actor}
        data-on={filter.actor !== null}
        value={filter.actor ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, actor: value || null })}
      >
        <option value="">{texts.anyone}</option>
        {actors.map((actor) => (
          <option key={actor} value={actor}>
            {nameOf(actor)}
          </option>
        ))}
      </select>
      <TimeRangeFields
        range={filter.range}
        spans={["any", "day", "week", "month", "own"]}
        onChange={(range) => onChange({ ...filter, range })}
      />
    </>
  );
}

function AuditTable({ rows, nameOf }: { rows: readonly AuditEntry[]; nameOf: (actor: string) => string }) {
  const now = useServerTime();
  return (
    <div className="rowset">
      <table className="cards audit" aria-label={texts.list}>
        <thead>
          <tr>
            <th>{texts.when}</th>
            <th>{texts.who}</th>
            <th>{texts.what}</th>
            <th>{texts.about}</th>
            <th>{texts.from}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((entry) => {
            const at = Date.parse(entry.at);
            return (
              <tr key={entry.id}>
                <td className="when" title={fullTime(at)}>
                  {pastTime(at, now)}
                </td>
                <td className="actor breaks" dir="auto">
                  {nameOf(entry.actor)}
                </td>
                <td className="what breaks">{sentenceOf(entry)}</td>
                <td className="far mono breaks">{resourceWords(entry.resource)}</td>
                <td className="far">{entry.ip === null ? "–" : printableText(entry.ip)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
