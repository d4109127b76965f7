/** The page of a platform on which a person permits the app to use an account. */
export interface LoginDialog {
  /** @param redirectUri of this service, to which the platform sends the person with a code */
  authorizeUrl(state: string, redirectUri: string): string;
}

const INSTAGRAM_SCOPES = ["instagram_business_basic", "instagram_business_manage_messages"];
/** Pages, and the Instagram accounts that are linked to them. Pages of a business are missing without the fifth. */
const FACEBOOK_SCOPES = [
  "pages_show_list",
  "pages_messaging",
  "pages_manage_metadata",
  "pages_read_engagement",
  "business_management",
  "instagram_basic",
  "instagram_manage_messages",
];

/** Instagram's own login. @param appId the Instagram id of the app, which is not that of the Meta app */
export function instagramDialog(host: string, appId: string): LoginDialog {
  return {
    authorizeUrl: (state, redirectUri) =>
      dialogUrl(`${host}/oauth/authorize`, {
        client_id: appId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: INSTAGRAM_SCOPES.join(","),
        state,
      }),
  };
}

/** @param options `config`: the id of a configuration of Facebook Login for Business, which names the permissions */
export function facebookDialog(
  host: string,
  options: { readonly appId: string; readonly graphVersion: string; readonly config: string | null },
): LoginDialog {
  const { appId, graphVersion, config } = options;
  return {
    authorizeUrl: (state, redirectUri) =>
      dialogUrl(`${host}/${graphVersion}/dialog/oauth`, {
        client_id: appId,
        redirect_uri: redirectUri,
        response_type: "code",
        // Without the override, a configuration may answer with a token in the fragment instead of a code.
        ...(config === null
          ? { scope: FACEBOOK_SCOPES.join(",") }
          : { config_id: config, override_default_response_type: "true" }),
        state,
      }),
  };
}

function dialogUrl(page: string, parameters: Readonly<Record<string, string>>): string {
  return `${page}?${new URLSearchParams(parameters)}`;
}
