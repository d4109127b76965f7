import { httpHandler } from "../support/http-handler.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { consoleApp } from "./app.ts";
import { consolePorts } from "./ports.ts";

export const handler = httpHandler(consoleApp(consolePorts()), originSecrets());
