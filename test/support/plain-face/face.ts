// A small dialect of its own on the port of the HTTP host: tasks as plain JSON, events as server-sent events. It is
// written only against what the package exports, which proves that a dialect needs no internals.

import { createHash } from 'node:crypto';
import type { CallContext, TaskService } from '../../../src/door/index.ts';
import { SdlError, toSdlError, untilRest } from '../../../src/door/index.ts';
import type { JsonValue, ListenContext, Transport } from '../../../src/transport.ts';
import { isJsonObject, readJson, writeJson } from '../../../src/transport.ts';
import type { HttpCall, HttpFace } from '../../../transports/http/index.ts';
import { httpHostOf } from '../../../transports/http/index.ts';
import { MAP, plain, readMessage, refusalForm, taskForm, wrong } from './forms.ts';

const PATH = /^\/plain\/tasks(?:\/([\w.~-]+)(?:\/(events|messages|cancel))?)?$/;
const NO_TASK = new SdlError('TASK_UNKNOWN', 'there is no such task');

export function plainFace(name = 'plain'): Transport {
  const listen: Transport['listen'] = async (context, earlier) => {
    const host = httpHostOf(earlier, name);
    const served = host.serve(createFace(name, context));
    const close = (graceMs: number): Promise<void> => served.close(graceMs);
    return { name, isFace: true, urls: [host.urlOf('/plain/tasks')], close };
  };
  return { name, listen };
}

function createFace(name: string, context: ListenContext): HttpFace {
  return {
    name,
    maxBytes: context.limits.maxBytes,
    headers: ['authorization', 'content-type', 'idempotency-key'],
    owns: (path) => PATH.test(path),
    handle: async (http) => {
      const ticket = context.admit(name, http.peer);
      const served = callOf(http, name, context).then((call) => serve(http, context, call));
      await served.finally(() => ticket.release());
    },
    refuse: (http, error, status) =>
      say(http, status === 421 ? status : MAP[error.code], refusalForm(error)),
  };
}

async function callOf(http: HttpCall, face: string, context: ListenContext): Promise<CallContext> {
  const { principal, ceiling } = await context.authenticate(http.shown);
  const tenant = http.query.get('tenant');
  if (tenant !== null && tenant !== principal.tenant) throw NO_TASK;
  const { agentId } = context.about();
  const known = { principal, face, agentId, signal: http.signal, now: Date.now };
  return { ...known, ...(ceiling && { ceiling }) };
}

async function serve(http: HttpCall, context: ListenContext, known: CallContext): Promise<void> {
  let call = known;
  const { tasks, limits } = context;
  const [, id, what] = PATH.exec(http.path)!;
  const isGet = http.method === 'GET';
  if (what === 'events' && isGet) return tell(http, tasks, call, id!);
  if (id !== undefined && what === undefined && isGet) {
    const task = await tasks.get(call, id, numbersIn(http, 'historyLength'));
    if (task === undefined) throw NO_TASK;
    return say(http, 200, taskForm(task));
  }
  if (id === undefined && isGet) {
    const asked = [...http.query].filter(([name]) => /^(state|contextId|cursor)$/.test(name));
    const filter = { ...Object.fromEntries(asked), ...numbersIn(http, 'since', 'pageSize') };
    const page = await tasks.list(call, filter);
    return say(http, 200, { ...page, tasks: page.tasks.map(taskForm) });
  }
  if (http.method !== 'POST' || what === 'events') throw wrong('method');
  const bytes = await http.body();
  call = { ...known, received: { bytes, mediaType: 'application/json', transport: 'http' } };
  const body = bytes.length === 0 ? {} : readJson(bytes, limits);
  if (!isJsonObject(body)) throw wrong('');
  const { message, contextId, deadline, answers } = body;
  if (![deadline ?? 0, answers ?? 0].every(Number.isFinite)) throw wrong('');
  if (typeof (contextId ?? '') !== 'string') throw wrong('contextId');
  if (what === 'messages') {
    const options = answers === undefined ? {} : { answers: Number(answers) };
    return say(http, 200, taskForm(await tasks.message(call, id!, readMessage(message), options)));
  }
  if (what === 'cancel') {
    const canceled = await tasks.cancel(call, id!);
    if (canceled === undefined) throw NO_TASK;
    if (canceled.hasEnded) throw new SdlError('TASK_ENDED', 'it cannot be canceled any more');
    return say(http, 200, taskForm(canceled.task));
  }
  if (id !== undefined) throw wrong('method');
  const key = http.headers['idempotency-key'];
  const digest = createHash('sha256').update(bytes).digest('hex');
  const { task, isNew } = await tasks.start(call, {
    message: readMessage(message),
    ...(contextId !== undefined && { contextId: contextId as string }),
    ...(deadline !== undefined && { deadline: Number(deadline) }),
    ...(key !== undefined && { idempotency: { id: key, digest, rerun: 'retryable' } }),
  });
  const { wait = 0 } = numbersIn(http, 'wait');
  if (wait === 0 || task.direct === true) return say(http, isNew ? 201 : 200, taskForm(task));
  const patience = AbortSignal.any([AbortSignal.timeout(wait), http.signal]);
  return say(http, 200, taskForm((await untilRest(tasks.follow(call, task.id), patience)) ?? task));
}

async function tell(
  http: HttpCall,
  tasks: TaskService,
  call: CallContext,
  id: string,
): Promise<void> {
  const events = http.events();
  try {
    for await (const { task, event } of tasks.follow(call, id, numbersIn(http, 'after')['after'])) {
      const data = writeJson(event === undefined ? taskForm(task) : plain(event));
      await events.send({ data, id: task.generation, event: event?.type ?? 'task' });
    }
  } catch (thrown) {
    if (!events.hasBegun) throw thrown;
    await events.send({ event: 'refused', data: writeJson(refusalForm(toSdlError(thrown))) });
  }
  await events.end();
}

function numbersIn(http: HttpCall, ...names: readonly string[]): Record<string, number> {
  const given = names.filter((name) => http.query.has(name));
  return Object.fromEntries(given.map((name) => [name, Number(http.query.get(name))]));
}

function say(http: HttpCall, status: number, value: JsonValue): Promise<void> {
  return http.answer(status, { 'content-type': 'application/json' }, writeJson(value));
}
