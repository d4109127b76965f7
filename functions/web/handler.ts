import { httpHandler } from "../support/http-handler.ts";
import { webApp } from "./app.ts";
import { webPorts } from "./ports.ts";

export const handler = httpHandler(webApp(webPorts()));
