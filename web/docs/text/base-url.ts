/** Stands in the pages for the URL of the deployment. The function that serves them fills it in. */
export const BASE_URL_MARK = "{{base_url}}";
