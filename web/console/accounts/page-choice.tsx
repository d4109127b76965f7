import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Data, ParleyError } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { LoadProblem } from "../admin/load-problem.tsx";
import { actionProblem } from "../admin/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { AccountFace } from "../ui/account-face.tsx";
import { Face } from "../ui/avatar.tsx";
import type { Account } from "./account-health.ts";
import type { Connection } from "./login-end.ts";
import { texts } from "./texts.ts";

type Page = Data<"GET /oauth/messenger/pages">["pages"][number];
type Kind = "messenger" | "instagram";

interface PageChoiceProps {
  /** The way of connecting that the login was started for; null where the address does not say. */
  readonly way: Connection | null;
  /** Those of the workspace. */
  readonly accounts: readonly Account[];
  readonly onChanged: () => Promise<unknown>;
  /** @see Account.account_key */
  readonly onConnected: (keys: readonly string[]) => void;
  readonly onStartAgain: () => void;
  readonly onCancel: () => void;
}

/** Asks which page of a Facebook login to connect, and what of it. */
export function PageChoice({ way, accounts, onChanged, onConnected, onStartAgain, onCancel }: PageChoiceProps) {
  const { parley, tenant } = useWorkspace();
  const title = useRef<HTMLHeadingElement>(null);
  const query = useQuery({
    queryKey: ["login-pages", tenant],
    queryFn: () => parley.logins.listPages(),
    // It is read once: each login has pages of its own, and they end after 10 minutes.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  useEffect(() => title.current?.focus(), []);
  const pages = query.data?.pages ?? [];
  const isOver = query.error instanceof ParleyError && query.error.code === "oauth_state_invalid";
  const isEmpty = query.data !== undefined && pages.length === 0;
  return (
    <section className="page-choice" aria-labelledby="page-choice">
      <h2 id="page-choice" tabIndex={-1} ref={title}>
        {texts.chooseTitle}
      </h2>
      {query.isPending ? <p role="status">{texts.loadingPages}</p> : null}
      {query.error && !isOver ? <LoadProblem error={query.error} onAgain={() => void query.refetch()} /> : null}
      {isOver ? <p role="alert">{texts.selectProblems.oauth_state_invalid}</p> : null}
      {isEmpty ? <p role="status">{texts.noPages}</p> : null}
      {pages.length > 0 ? (
        <ChoiceForm {...{ pages, way, accounts, onChanged, onConnected, onStartAgain, onCancel }} />
      ) : (
        <div className="acts">
          <button type="button" className="btn" onClick={onCancel}>
            {texts.cancel}
          </button>
          {isOver || isEmpty ? (
            <button type="button" className="btn first" onClick={onStartAgain}>
              {texts.startAgain}
            </button>
          ) : null}
        </div>
      )}
    </section>
  );
}

function pageName({ page_id, name }: Pick<Page, "page_id" | "name">): string {
  return printableText(name).trim() || page_id;
}

/** What is chosen until the person chooses: what the login was started for. An own login is replaced only when a person says so. */
function firstKinds(page: Page, way: Connection | null, accounts: readonly Account[]): ReadonlySet<Kind> {
  const kinds: Kind[] = [];
  if (way !== "instagram_page" || page.instagram === null) kinds.push("messenger");
  if (way !== "messenger" && page.instagram !== null && !hasOwnLogin(page, accounts)) kinds.push("instagram");
  return new Set(kinds);
}

function hasOwnLogin({ instagram }: Page, accounts: readonly Account[]): boolean {
  return accounts.some(
    ({ account_key, connection }) => account_key === instagram?.account_key && connection === "instagram_login",
  );
}

interface ChoiceFormProps extends PageChoiceProps {
  /** At least one. */
  readonly pages: readonly Page[];
}

function ChoiceForm({ pages, way, accounts, onChanged, onConnected, onStartAgain, onCancel }: ChoiceFormProps) {
  const { parley } = useWorkspace();
  const { isBusy, run } = useOneAtATime();
  const preferred = way === "instagram_page" ? pages.find(({ instagram }) => instagram !== null) : undefined;
  const [chosen, setChosen] = useState((preferred ?? pages[0])?.page_id);
  const [picked, setPicked] = useState<ReadonlySet<Kind> | null>(null);
  const [problem, setProblem] = useState("");
  const page = pages.find(({ page_id }) => page_id === chosen);
  if (!page) return null;
  const kinds = picked ?? firstKinds(page, way, accounts);
  const connect = async () => {
    const selected = (["messenger", "instagram"] as const).filter((kind) => kinds.has(kind));
    if (selected.length === 0) return setProblem(texts.chooseOne);
    setProblem("");
    try {
      const { accounts: connected } = await parley.logins.selectPage({ page_id: page.page_id, connect: selected });
      await onChanged();
      onConnected(connected.map(({ account_key }) => account_key));
    } catch (error) {
      // The first account may be connected, although the second one was refused or the answer was lost.
      await onChanged();
      setProblem(selectProblem(error));
    }
  };
  const toggle = (kind: Kind) =>
    setPicked(new Set(kinds.has(kind) ? [...kinds].filter((each) => each !== kind) : [...kinds, kind]));
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(connect);
      }}
    >
      <fieldset>
        <legend>{texts.choosePage}</legend>
        {pages.map(({ page_id, name, messenger }) => (
          <label key={page_id} className="check">
            <input
              type="radio"
              name="page"
              checked={page_id === chosen}
              onChange={() => {
                setChosen(page_id);
                setPicked(null);
              }}
            />
            <Face name={pageName({ page_id, name })} id={messenger.account_key} size={30} picture={messenger.picture} />
            <span dir="auto">{pageName({ page_id, name })}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{texts.chooseKinds}</legend>
        <KindChoice
          account={page.messenger}
          name={pageName(page)}
          platform="messenger"
          label={texts.messenger}
          note={page.messenger.connected ? texts.renews : ""}
          isChecked={kinds.has("messenger")}
          onChange={() => toggle("messenger")}
        />
        {page.instagram ? (
          <KindChoice
            account={page.instagram}
            name={printableText(page.instagram.username)}
            platform="instagram"
            label={texts.instagram(printableText(page.instagram.username))}
            note={hasOwnLogin(page, accounts) ? texts.replaces : page.instagram.connected ? texts.renews : ""}
            isChecked={kinds.has("instagram")}
            onChange={() => toggle("instagram")}
          />
        ) : (
          <p className="soft">{texts.noInstagram}</p>
        )}
      </fieldset>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="acts">
        <button type="button" className="btn" onClick={onCancel}>
          {texts.cancel}
        </button>
        {problem === "" ? null : (
          <button type="button" className="btn" onClick={onStartAgain}>
            {texts.startAgain}
          </button>
        )}
        <button type="submit" className="btn first" aria-disabled={isBusy}>
          {texts.connectChosen}
        </button>
      </div>
    </form>
  );
}

interface KindChoiceProps {
  readonly account: Page["messenger"];
  /** Of the account. */
  readonly name: string;
  readonly platform: Kind;
  readonly label: string;
  readonly note: string;
  readonly isChecked: boolean;
  readonly onChange: () => void;
}

function KindChoice({ account, name, platform, label, note, isChecked, onChange }: KindChoiceProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isChecked} onChange={onChange} />
      <span aria-hidden="true">
        <AccountFace name={name} id={account.account_key} platform={platform} picture={account.picture} size={30} />
      </span>
      <span>
        <span dir="auto">{label}</span>
        {note === "" ? null : <small>{note}</small>}
      </span>
    </label>
  );
}

function selectProblem(error: unknown): string {
  const isRefused = error instanceof ParleyError && error.code === "oauth_failed";
  return isRefused ? texts.selectRefused(printableText(error.detail)) : actionProblem(error, texts.selectProblems);
}
