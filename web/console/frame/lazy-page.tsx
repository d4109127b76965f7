import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { texts } from "./texts.ts";

/**
 * A page whose script is fetched when it is first shown. A script that cannot be fetched, without a network or after a new
 * version was installed, shows words and a reload instead of an empty page.
 */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch((): ComponentType<Props> => NotLoaded) }));
}

/**
 * A part of the frame whose script is fetched after the page is shown. Without its script the page works as before: the part
 * is missing until the next reload.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch((): ComponentType<Props> => () => null) }));
}

/** Stands in the place of a page while its script is fetched. */
export function PageLoading() {
  return (
    <main className="gate" role="status">
      <span className="unseen">{texts.loadingPage}</span>
    </main>
  );
}

function NotLoaded() {
  const { title, text } = texts.notLoaded;
  return (
    <main className="gate" role="alert">
      <h1>{title}</h1>
      <p>{text}</p>
      <button type="button" className="btn first" onClick={() => location.reload()}>
        {texts.reload}
      </button>
    </main>
  );
}
