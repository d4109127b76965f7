import { httpHandler } from "../support/http-handler.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { checkPageApp } from "./app.ts";
import { checkPagePorts } from "./ports.ts";

export const handler = httpHandler(checkPageApp(checkPagePorts()), originSecrets());
