import { useState } from "react";
import { ConfirmDialog } from "../admin/confirm-dialog.tsx";
import { actionProblem } from "../admin/problems.ts";
import { useNotices } from "../common/notices.tsx";
import { may } from "../common/rights.ts";
import { useWorkspace } from "../data/workspace.tsx";
import type { OwnWorkspace } from "../session/session.ts";
import { useSession } from "../session/session-provider.tsx";
import { texts } from "./texts.ts";

type Language = NonNullable<OwnWorkspace["language"]>;

const languages = Object.keys(texts.languages) as Language[];

/** The language of the workspace's mails, which its owners choose. */
export function MailLanguage() {
  const { parley, tenant, person } = useWorkspace();
  const { workspaces, reload } = useSession();
  const { show } = useNotices();
  const [isOpen, setOpen] = useState(false);
  const current = workspaces.find(({ id }) => id === tenant)?.language ?? "en";
  const [chosen, setChosen] = useState<Language>(current);
  if (!may(person.role, "PATCH /console/tenants/{slug}")) return null;
  const save = async () => {
    try {
      await parley.tenants.update(tenant, { language: chosen });
      show({ text: texts.languageChanged(texts.languages[chosen]) });
      return null;
    } catch (error) {
      return actionProblem(error);
    } finally {
      void reload();
    }
  };
  return (
    <section className="invite-part">
      <h2>{texts.mails}</h2>
      <div className="rowset">
        <div className="line">
          <span className="main">
            <b>{texts.languages[current]}</b>
            <small>{texts.languageText}</small>
          </span>
          <button
            type="button"
            className="btn small"
            onClick={() => {
              setChosen(current);
              setOpen(true);
            }}
          >
            {texts.changeLanguage}
          </button>
        </div>
      </div>
      {isOpen ? (
        <ConfirmDialog title={texts.languageTitle} confirm={texts.save} onConfirm={save} onClose={() => setOpen(false)}>
          <fieldset>
            <legend>{texts.languageText}</legend>
            {languages.map((language) => (
              <label key={language} className="check">
                <input
                  type="radio"
                  name="language"
                  checked={chosen === language}
                  onChange={() => setChosen(language)}
                />
                <span>{texts.languages[language]}</span>
              </label>
            ))}
          </fieldset>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}
