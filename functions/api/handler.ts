import { httpHandler } from "../support/http-handler.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { apiApp } from "./app.ts";
import { apiPorts } from "./ports.ts";

export const handler = httpHandler(apiApp(apiPorts()), originSecrets());
