import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Account } from "#client";
import { may } from "../../common/rights.ts";
import { accountName } from "../../data/accounts.ts";
import { platformName } from "../../data/names.ts";
import type { Conversation } from "../../data/types.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { accountsPath, inboxPath, sidePath } from "../../paths.ts";
import type { Step, StepName } from "./steps.ts";
import { texts } from "./texts.ts";

interface StartPanelProps {
  readonly steps: readonly Step[];
  readonly workspace: string;
  readonly account: Account | undefined;
  /** Whom to answer first; null when no one waits. */
  readonly waiting: Conversation | null;
  readonly onHide: () => void;
}

/** The first steps of a workspace. What is done is ticked, and the next one is marked. */
export function StartPanel({ steps, workspace, account, waiting, onHide }: StartPanelProps) {
  const { tenant, person } = useWorkspace();
  const isAdmin = may(person.role, "GET /v1/webhooks");
  const next = steps.find(({ isDone }) => !isDone)?.name;
  const words = wordsOf(account, isAdmin);
  const actions: Partial<Record<StepName, ReactNode>> = {
    ...(isAdmin ? { connect: <Go href={accountsPath(tenant)} words={texts.connect} isFirst /> } : {}),
    ...(waiting ? { answer: <Go href={inboxPath(tenant, waiting.id)} words={texts.open} isFirst /> } : {}),
    ...(isAdmin
      ? {
          further: (
            <>
              <Go href={sidePath(tenant, "team")} words={texts.invite} />
              <Go href={sidePath(tenant, "webhooks")} words={texts.addWebhook} />
            </>
          ),
        }
      : {}),
  };
  return (
    <section className="panel first-steps" aria-labelledby="start">
      <h2 id="start">
        {texts.title} <bdi>{workspace}</bdi>
      </h2>
      <p className="soft">{texts.intro}</p>
      <ol>
        {steps.map(({ name, isDone }, index) => (
          <li key={name} className={isDone ? "done" : undefined} aria-current={name === next ? "step" : undefined}>
            <span className="number">
              {isDone ? <Check size={15} strokeWidth={2.4} aria-label={texts.done} /> : index + 1}
            </span>
            <div>
              <b>{texts[name]}</b>
              <p>{isDone ? words[name].done : words[name].todo}</p>
            </div>
            {isDone ? null : <span className="acts">{actions[name]}</span>}
          </li>
        ))}
      </ol>
      <button type="button" className="btn quiet" onClick={onHide}>
        {texts.hide}
      </button>
    </section>
  );
}

function Go({ href, words, isFirst = false }: { href: string; words: string; isFirst?: boolean }) {
  return (
    <Link className={isFirst ? "btn first" : "btn"} href={href}>
      {words}
    </Link>
  );
}

function wordsOf(
  account: Account | undefined,
  isAdmin: boolean,
): Record<StepName, { readonly todo: ReactNode; readonly done: ReactNode }> {
  const name = account ? <bdi>{accountName(account)}</bdi> : null;
  const { subscribed, connected, on } = texts;
  return {
    connect: {
      todo: isAdmin ? texts.connectText : texts.connectByAdmin,
      done: account ? (
        <>
          {name} {on(platformName(account.platform))} {account.subscribed_at === null ? connected : subscribed}
        </>
      ) : null,
    },
    receive: {
      todo: (
        <>
          {texts.sendTo} {name ?? texts.theAccount} {texts.fromAnother}
        </>
      ),
      done: texts.received,
    },
    answer: { todo: texts.answerText, done: texts.answered },
    further: { todo: isAdmin ? texts.furtherText : texts.furtherByAdmin, done: texts.furtherDone },
  };
}
