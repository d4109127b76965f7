import type { CheckPageTexts } from "../../shared/base/languages/texts.ts";
import { pageTexts } from "../common/page-texts.ts";

/** The texts of the check page in the language of its document. */
export const texts = pageTexts<CheckPageTexts>();
