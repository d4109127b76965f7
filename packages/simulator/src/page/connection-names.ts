/** The connections as the page names them. */
export const connectionNames = {
  instagram_login: "Instagram",
  instagram_page: "Instagram via Page",
  messenger: "Messenger",
} as const;
