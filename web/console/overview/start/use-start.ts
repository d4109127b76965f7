import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { may } from "../../common/rights.ts";
import { useAccounts } from "../../common/use-accounts.ts";
import type { Conversation } from "../../data/types.ts";
import { useWorkspace } from "../../data/workspace.tsx";
import { useStats } from "../../hours/use-stats.ts";
import { sumAnswers } from "../answers.ts";
import { useEndpoints } from "../use-endpoints.ts";
import { useFinished } from "./finished.ts";
import { type Step, startSteps } from "./steps.ts";

/**
 * The first steps of the workspace; null when they are done, hidden, or not known. What only they need is read only while they
 * are not finished.
 */
export function useStart(newest: readonly Conversation[] | null) {
  const { parley, tenant, person } = useWorkspace();
  const { isFinished, finish } = useFinished(tenant);
  const readsInvites = may(person.role, "GET /console/invites");
  const accounts = useAccounts().data?.accounts;
  const series = useStats().data?.series;
  const endpoints = useEndpoints();
  const team = useQuery({ queryKey: ["team", tenant], queryFn: () => parley.team.list(), enabled: !isFinished });
  const invites = useQuery({
    queryKey: ["invites", tenant],
    queryFn: () => parley.invites.list(),
    enabled: readsInvites && !isFinished,
  });
  const isKnown =
    team.data !== undefined && (!readsInvites || invites.data !== undefined) && (!endpoints.isRead || endpoints.data);
  let steps: readonly Step[] | null = null;
  if (!isFinished && accounts && series && newest && isKnown) {
    steps = startSteps({
      accounts,
      conversations: newest,
      received: series.reduce((sum, { received }) => sum + received, 0),
      answered: sumAnswers(series).all,
      members: team.data?.members.length ?? 0,
      invites: (invites.data?.invites ?? []).filter(({ status }) => status === "pending").length,
      endpoints: endpoints.data?.endpoints.length ?? 0,
    });
  }
  const areDone = steps?.every(({ isDone }) => isDone) ?? false;
  useEffect(() => {
    if (areDone) finish();
  }, [areDone, finish]);
  return { steps: areDone ? null : steps, hide: finish };
}
