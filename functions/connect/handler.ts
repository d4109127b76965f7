import { httpHandler } from "../support/http-handler.ts";
import { originSecrets } from "../support/origin-secrets.ts";
import { connectApp } from "./app.ts";
import { connectPorts } from "./ports.ts";

export const handler = httpHandler(connectApp(connectPorts()), originSecrets());
