// What the command line uses of the client: a door of its own, so that a command that only asks loads no agent.

export type { ArtifactItem } from '../handlers/artifact/read.ts';
export type { AwayOptions } from './back-off.ts';
export { BackOff, isPassingFault } from './back-off.ts';
export type { Client } from './client.ts';
export { createClient } from './client.ts';
export type {
  Dialect,
  FollowHow,
  ForeignAgent,
  ForeignStep,
  ForeignTask,
  HowOptions,
} from './foreign/dialect.ts';
export type { ExchangeOptions } from './exchange.ts';
export { abortError } from './exchange.ts';
export type { RemoteAgent } from './remote-agent.ts';
export { RemoteError } from './remote-error.ts';
export type { ListTasksOptions } from './remote-tasks.ts';
export { wait } from './services.ts';
export type { TaskInput } from './task-content.ts';
export type { TaskUpdate } from './task-update.ts';
export { ToolCallError } from './tool-call.ts';
