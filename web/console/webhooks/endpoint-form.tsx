import { type ReactNode, useState } from "react";
import { Loading } from "../admin/load-problem.tsx";
import { problemLine } from "../common/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { Endpoint, EventType } from "./endpoint-state.ts";
import { webhookProblem } from "./problems.ts";
import { texts } from "./texts.ts";
import { useCatalog } from "./use-catalog.ts";

interface EndpointFormProps {
  /** Null for a new one. */
  readonly endpoint: Endpoint | null;
  /** @param secret of a new endpoint */
  readonly onSaved: (endpoint: Endpoint, secret: string | null) => void;
  readonly onClose: () => void;
}

const URL_CHARS_MAX = 2_048;

/** Adds or edits an endpoint: its address and its events. */
export function EndpointForm({ endpoint, onSaved, onClose }: EndpointFormProps) {
  const { parley } = useWorkspace();
  const catalog = useCatalog();
  const all = catalog.data?.event_types ?? [];
  const defaults = all.filter((each) => each.default).map(({ type }) => type);
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [chosen, setChosen] = useState<ReadonlySet<EventType> | null>(null);
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const before = endpoint ? new Set(endpoint.events) : null;
  const isEvery = before === null || all.every((each) => before.has(each.type) === each.default);
  // Until the person chooses: every default event for a new endpoint, and those that an existing one has.
  const events = chosen ?? (before !== null && !isEvery ? before : null);
  const [isLimited, setLimited] = useState<boolean | null>(null);
  const hasSome = isLimited ?? events !== null;
  const save = async () => {
    setProblem("");
    const types = all.map(({ type }) => type).filter((type) => events?.has(type));
    if (hasSome && types.length === 0) return setProblem(texts.chooseEvent);
    const eventList = hasSome ? types : defaults;
    // Without the catalog the events stay as they are; a new endpoint has the default ones.
    const body = { url: url.trim(), ...(all.length === 0 || (!endpoint && !hasSome) ? {} : { events: eventList }) };
    try {
      if (endpoint) {
        const saved = await parley.webhooks.update(endpoint.id, body.url === endpoint.url ? withoutUrl(body) : body);
        onSaved(saved.endpoint, null);
      } else {
        const added = await parley.webhooks.create(body);
        onSaved(added.endpoint, added.signing_secret);
      }
    } catch (error) {
      setProblem(webhookProblem(error));
    }
  };
  const toggle = (type: EventType) => {
    const next = new Set(events ?? []);
    if (!next.delete(type)) next.add(type);
    setChosen(next);
  };
  return (
    <Dialog title={endpoint ? texts.editTitle : texts.addTitle} onClose={onClose} isRequired={isBusy}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <label>
          <span>{texts.url}</span>
          <input
            type="url"
            required
            value={url}
            maxLength={URL_CHARS_MAX}
            placeholder="https://"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <small>{texts.urlText}</small>
        </label>
        <fieldset className="choice-list">
          <legend>{texts.events}</legend>
          {catalog.isPending ? <Loading /> : null}
          {catalog.error ? <p className="problem">{problemLine(catalog.error)}</p> : null}
          {all.length === 0 ? null : (
            <>
              <Choice name="events" isOn={!hasSome} onChange={() => setLimited(false)}>
                {texts.everyEvent}
              </Choice>
              <Choice name="events" isOn={hasSome} onChange={() => setLimited(true)}>
                {texts.someEvents}
              </Choice>
            </>
          )}
          {hasSome ? (
            <ul className="event-choice">
              {all.map(({ type, description }) => (
                <li key={type}>
                  <label className="check">
                    <input type="checkbox" checked={events?.has(type) ?? false} onChange={() => toggle(type)} />
                    <span>
                      <span className="mono">{type}</span>
                      <small>{description}</small>
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          ) : null}
        </fieldset>
        <p className="problem" role="alert">
          {problem}
        </p>
        <div className="acts">
          <button type="submit" className="btn first" aria-disabled={isBusy}>
            {endpoint ? texts.save : texts.create}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** An address that did not change is not looked up again. */
function withoutUrl<Body extends { url: string }>({ url: _, ...rest }: Body): Omit<Body, "url"> {
  return rest;
}

interface ChoiceProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: () => void;
  readonly children: ReactNode;
}

function Choice({ name, isOn, onChange, children }: ChoiceProps) {
  return (
    <label className="check">
      <input type="radio" name={name} checked={isOn} onChange={onChange} />
      {children}
    </label>
  );
}
