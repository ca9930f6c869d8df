// What the command line uses of the client: a door of its own, so that a command that only asks loads no agent.

export type { Client } from './client.ts';
export { createClient } from './client.ts';
export type { ExchangeOptions } from './exchange.ts';
export type { RemoteAgent } from './remote-agent.ts';
export { ToolCallError } from './remote-agent.ts';
export { RemoteError } from './remote-error.ts';
export type { ArtifactItem } from '../handlers/artifact/read.ts';
export { readItems } from '../handlers/artifact/read.ts';
export type { TaskUpdate } from './task-exchange.ts';
export { taskUpdates } from './task-exchange.ts';
