import { CirclePause, CirclePlay, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { ConfirmDialog } from "../admin/confirm-dialog.tsx";
import { useNotices } from "../common/notices.tsx";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { sidePath } from "../paths.ts";
import { Menu } from "../ui/menu/menu.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { type Endpoint, hostOf } from "./endpoint-state.ts";
import { webhookProblem } from "./problems.ts";
import { SigningSecret } from "./signing-secret.tsx";
import { texts } from "./texts.ts";
import { useEndpointCalls } from "./use-endpoint-calls.ts";

type Opened = "edit" | "pause" | "rotate" | "delete" | null;

/** Test, rotate, edit, pause, resume and delete. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const { parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState<Opened>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { isBusy, run } = useOneAtATime();
  const calls = useEndpointCalls(endpoint);
  const close = () => setOpened(null);
  const showProblem = (problem: string | null) => {
    if (problem !== null) show({ text: problem, kind: "problem" });
  };
  const rotate = async () => {
    try {
      const rotated = await parley.webhooks.rotate(endpoint.id);
      setSecret(rotated.signing_secret);
      return null;
    } catch (error) {
      return webhookProblem(error);
    } finally {
      void calls.reread();
    }
  };
  const remove = async () => {
    const problem = await calls.remove();
    if (problem === null) navigate(sidePath(tenant, "webhooks"));
    return problem;
  };
  const host = hostOf(endpoint.url);
  return (
    <>
      <button
        type="button"
        className="btn"
        aria-disabled={isBusy}
        onClick={() => void run(async () => showProblem(await calls.test()))}
      >
        {texts.test}
      </button>
      <button type="button" className="btn" onClick={() => setOpened("rotate")}>
        {texts.rotate}
      </button>
      <Menu
        label={texts.actions}
        button={<Ellipsis size={18} aria-hidden="true" />}
        items={[
          { label: texts.edit, icon: <Pencil size={16} />, onSelect: () => setOpened("edit") },
          endpoint.status === "paused"
            ? {
                label: texts.resume,
                icon: <CirclePlay size={16} />,
                onSelect: () => void run(async () => showProblem(await calls.resume())),
              }
            : { label: texts.pause, icon: <CirclePause size={16} />, onSelect: () => setOpened("pause") },
          { label: texts.delete, icon: <Trash2 size={16} />, isDanger: true, onSelect: () => setOpened("delete") },
        ]}
      />
      {opened === "edit" ? (
        <EndpointForm
          endpoint={endpoint}
          onClose={close}
          onSaved={() => {
            close();
            void calls.reread();
            show({ text: texts.saved });
          }}
        />
      ) : null}
      {opened === "pause" ? (
        <ConfirmDialog title={texts.pauseTitle} confirm={texts.pause} onConfirm={calls.pause} onClose={close}>
          <p>{texts.pauseText}</p>
        </ConfirmDialog>
      ) : null}
      {opened === "rotate" ? (
        <ConfirmDialog title={texts.rotateTitle} confirm={texts.rotate} onConfirm={rotate} onClose={close}>
          <p>{texts.rotateText}</p>
          {endpoint.secondary_active ? <p>{texts.rotateAgainText}</p> : null}
        </ConfirmDialog>
      ) : null}
      {opened === "delete" ? (
        <ConfirmDialog
          title={texts.deleteTitle}
          confirm={texts.delete}
          isDanger
          typed={printableText(host)}
          onConfirm={remove}
          onClose={close}
        >
          <p>{texts.deleteText}</p>
        </ConfirmDialog>
      ) : null}
      {secret === null ? null : (
        <SigningSecret endpoint={endpoint} secret={secret} text={texts.rotatedText} onClose={() => setSecret(null)} />
      )}
    </>
  );
}
