import { AdminPage } from "../admin/admin-page.tsx";
import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { may } from "../common/rights.ts";
import { StaleLine } from "../common/stale-line.tsx";
import { useAccounts } from "../common/use-accounts.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { useStats } from "../hours/use-stats.ts";
import { everyone } from "../inbox/list/use-list.ts";
import { AccountsPanel } from "./accounts-panel.tsx";
import { AnswerBars } from "./answer-bars.tsx";
import { sumAnswers } from "./answers.ts";
import { DeliveriesPanel } from "./deliveries-panel.tsx";
import { Figures } from "./figures.tsx";
import { MessageChart } from "./message-chart.tsx";
import { StartPanel } from "./start/start-panel.tsx";
import { useStart } from "./start/use-start.ts";
import { texts } from "./texts.ts";
import { useNewest } from "./use-newest.ts";
import { useWaiting } from "./use-waiting.ts";
import "./overview.css";

/** How the workspace is: who waits, how soon people were answered, messages and deliveries of each hour, and the accounts. */
export function OverviewPage() {
  const { inbox, name, person } = useWorkspace();
  const stats = useStats();
  const waiting = useWaiting();
  const newest = useNewest();
  const accounts = useAccounts().data?.accounts;
  const { steps, hide } = useStart(newest);
  const series = stats.data?.series ?? null;
  const answers = series === null ? null : sumAnswers(series);
  const again = () => void stats.refetch();
  return (
    <AdminPage
      title={texts.title}
      intro={
        <>
          <bdi>{name}</bdi> · {texts.intro}
        </>
      }
    >
      {steps ? (
        <StartPanel
          steps={steps}
          workspace={name}
          account={accounts?.[0]}
          waiting={waiting.longest?.conversation ?? null}
          onHide={hide}
        />
      ) : null}
      {steps && accounts?.length === 0 ? null : (
        <>
          {waiting.error ? (
            <StaleLine what={texts.listFailed} error={waiting.error} onAgain={() => void inbox.retry(everyone)} />
          ) : null}
          {stats.error && stats.data ? <StaleLine what={texts.mayBeOld} error={stats.error} onAgain={again} /> : null}
          <Figures waiting={waiting} answers={answers} />
          {stats.error && !stats.data ? <LoadProblem error={stats.error} onAgain={again} /> : null}
          {stats.isPending ? <Loading /> : null}
          <div className="panels">
            {series && answers ? (
              <>
                <MessageChart series={series} />
                <AnswerBars answers={answers} overDay={waiting.overDay} isComplete={waiting.isComplete} />
              </>
            ) : null}
            {may(person.role, "GET /v1/webhooks") ? <DeliveriesPanel stats={stats.data} /> : null}
            <AccountsPanel newest={newest} />
          </div>
        </>
      )}
    </AdminPage>
  );
}
