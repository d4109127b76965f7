import { simulatedAppIds } from "../../../../packages/simulator/src/world/app-ids.ts";
import type { startTestSimulator } from "../simulator-fixture.ts";
import { testSecrets } from "../simulator-fixture.ts";

export const testApps = simulatedAppIds;
export const callback = "http://127.0.0.1:1/back";
export const instagramScopes = "instagram_business_basic,instagram_business_manage_messages";
export const facebookScopes =
  "pages_show_list,pages_messaging,pages_manage_metadata,pages_read_engagement,instagram_basic,instagram_manage_messages";

type TestSimulator = Awaited<ReturnType<typeof startTestSimulator>>;

/** The login of an app at a simulator, for tests. */
export function testLogin(simulator: TestSimulator) {
  const instagramUrl = (query: Record<string, string> = {}): string =>
    `${simulator.url}/instagram_www/oauth/authorize?${new URLSearchParams({
      client_id: testApps.instagram,
      redirect_uri: callback,
      response_type: "code",
      state: "s",
      scope: instagramScopes,
      ...query,
    })}`;
  const facebookUrl = (query: Record<string, string> = {}): string =>
    `${simulator.url}/facebook_www/v26.0/dialog/oauth?${new URLSearchParams({
      client_id: testApps.meta,
      redirect_uri: callback,
      response_type: "code",
      state: "s",
      scope: facebookScopes,
      ...query,
    })}`;
  /** Opens a login page, or posts its form. Returns where it redirects to, or else the page. */
  const open = async (url: string, form?: Record<string, string>) => {
    const answer = await fetch(url, {
      redirect: "manual",
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    const location = answer.headers.get("location");
    return { status: answer.status, page: await answer.text(), to: location === null ? null : new URL(location) };
  };
  const codeAt = async (url: string, form?: Record<string, string>): Promise<string> =>
    (await open(url, form)).to?.searchParams.get("code") ?? "";
  const exchangeInstagram = async (code: string, fields: Record<string, string> = {}) => {
    const form = { client_id: testApps.instagram, client_secret: testSecrets.instagram, redirect_uri: callback };
    const body = new URLSearchParams({ ...form, grant_type: "authorization_code", code, ...fields });
    const answer = await fetch(`${simulator.url}/instagram_api/oauth/access_token`, { method: "POST", body });
    return { status: answer.status, text: await answer.text() };
  };
  const exchangeFacebook = (query: Record<string, string>) => {
    const app = { client_id: testApps.meta, client_secret: testSecrets.meta };
    return simulator.get(`/facebook_graph/v26.0/oauth/access_token?${new URLSearchParams({ ...app, ...query })}`);
  };
  return {
    instagramUrl,
    facebookUrl,
    open,
    codeAt,
    exchangeInstagram,
    exchangeFacebook,
    /** A token of one hour of an Instagram account that consents at once. */
    async instagramToken(query: Record<string, string> = {}): Promise<string> {
      const code = await codeAt(instagramUrl({ sim_consent: "auto", ...query }));
      return JSON.parse((await exchangeInstagram(code)).text).data[0].access_token;
    },
    /** A long-lived token of a Facebook user who consents at once. */
    async userToken(query: Record<string, string> = {}): Promise<string> {
      const code = await codeAt(facebookUrl({ sim_consent: "auto", ...query }));
      const short = (await exchangeFacebook({ redirect_uri: callback, code })).body.access_token;
      return (await exchangeFacebook({ grant_type: "fb_exchange_token", fb_exchange_token: short })).body.access_token;
    },
    /** The Pages of a user token. */
    async pages(token: string, query = "limit=100") {
      const fields = "id,name,access_token,tasks,instagram_business_account{id,username}";
      return (await simulator.get(`/facebook_graph/v26.0/me/accounts?fields=${fields}&${query}`, token)).body;
    },
  };
}
