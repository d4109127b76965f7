import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Data } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { problemLine } from "../common/problems.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { accountsPath } from "../paths.ts";
import { texts } from "./texts.ts";

type Page = Data<"GET /oauth/messenger/pages">["pages"][number];
type Kind = "instagram" | "messenger";

/** Asks which page of a Facebook login to connect, and what of it. */
export function PageChoice() {
  const { parley, tenant } = useWorkspace();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const pages = useQuery({
    queryKey: ["login-pages", tenant],
    queryFn: () => parley.logins.listPages(),
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const [kinds, setKinds] = useState<ReadonlySet<Kind>>(new Set<Kind>(["messenger", "instagram"]));
  const [problem, setProblem] = useState("");
  const all = pages.data?.pages ?? [];
  const page: Page | undefined = all.find(({ page_id }) => page_id === chosen) ?? all[0];
  const offered: readonly Kind[] = page?.instagram ? ["messenger", "instagram"] : ["messenger"];
  const connect = async () => {
    if (!page) return;
    const wanted = offered.filter((kind) => kinds.has(kind));
    if (wanted.length === 0) return setProblem(texts.chooseOne);
    try {
      const body = { page_id: page.page_id, connect: wanted };
      const { accounts } = await parley.logins.selectPage(body);
      await client.invalidateQueries({ queryKey: ["accounts", tenant] });
      navigate(`${accountsPath(tenant)}?connected=${encodeURIComponent(accounts[0]?.account_key ?? "")}`, {
        replace: true,
      });
    } catch (error) {
      setProblem(problemLine(error));
    }
  };
  const toggle = (kind: Kind) =>
    setKinds((before) => new Set(before.has(kind) ? [...before].filter((each) => each !== kind) : [...before, kind]));
  if (pages.error) {
    return (
      <div className="load-problem" role="alert">
        <p className="problem">{problemLine(pages.error)}</p>
        <button type="button" className="btn" onClick={() => void pages.refetch()}>
          {texts.again}
        </button>
      </div>
    );
  }
  if (pages.data && all.length === 0) return <p role="status">{texts.noPages}</p>;
  return (
    <form
      className="page-choice"
      onSubmit={(event) => {
        event.preventDefault();
        void connect();
      }}
    >
      <fieldset>
        <legend>{texts.choosePage}</legend>
        {all.map(({ page_id, name }) => (
          <label key={page_id}>
            <input type="radio" name="page" checked={page?.page_id === page_id} onChange={() => setChosen(page_id)} />
            <bdi>{printableText(name || page_id)}</bdi>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{texts.chooseKinds}</legend>
        {offered.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={kinds.has(kind)} onChange={() => toggle(kind)} />
            <bdi>
              {kind === "messenger" ? texts.messenger : texts.instagram(printableText(page?.instagram?.username ?? ""))}
            </bdi>
          </label>
        ))}
      </fieldset>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="dialog-acts">
        <button type="button" className="btn" onClick={() => navigate(accountsPath(tenant), { replace: true })}>
          {texts.cancel}
        </button>
        <button type="submit" className="btn first">
          {texts.connect}
        </button>
      </div>
    </form>
  );
}
