import { chosenTheme, showTheme } from "./themes.ts";

// Runs before the page is drawn, so that it does not change its colors.
showTheme(chosenTheme());
