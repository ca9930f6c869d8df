// Owns the face of SteerQA: offers on a path of the HTTP host, checked in a fixed order, answered and refused in the
// words of the dialect. SPEC.md section 18 (#steerqa-http, #steerqa-errors).

import type { JsonObject } from '../../src/door/index.ts';
import { SdlError, toSdlError } from '../../src/door/index.ts';
import type { ListenContext, Transport } from '../../src/transport.ts';
import { writeJson } from '../../src/transport.ts';
import type { HttpCall, HttpFace } from '../../transports/http/index.ts';
import { httpHostOf } from '../../transports/http/index.ts';
import { JSON_TYPE, answerWriter } from './answer.ts';
import { errorMessage } from './envelope.ts';
import { exchange } from './exchange.ts';
import { FACE, VERSION } from './messages.ts';
import { assertJson, formFor } from './negotiate.ts';
import { readObject, readOffer } from './offer.ts';
import type { ResolvedSteerqa, SteerqaOptions } from './options.ts';
import { resolveSteerqa } from './options.ts';
import type { RefusalKind } from './refusal.ts';
import { Refusal, refusalOf } from './refusal.ts';

/** What is known of a request when something goes wrong with it. */
interface Asked {
  from?: string;
  value?: JsonObject;
  taskId?: string;
}

/** What the host refuses before the face is asked, by its status. */
const OF_HOST: Readonly<Record<number, RefusalKind>> = {
  403: 'forbidden',
  405: 'method',
  421: 'misdirected',
};

/** Takes offers at `path` of the port of `http()`. */
export function steerqa(options: SteerqaOptions = {}): Transport {
  const resolved = resolveSteerqa(options);
  const { path } = resolved;
  return {
    name: FACE,
    listen: async (context, earlier) => {
      const host = httpHostOf(earlier, FACE);
      const served = host.serve(createFace(resolved, context));
      const close = (graceMs: number): Promise<void> => served.close(graceMs);
      return { name: FACE, isFace: true, urls: [host.urlOf(path)], close };
    },
  };
}

function createFace(options: ResolvedSteerqa, context: ListenContext): HttpFace {
  const { path, now } = options;
  const maxBytes = options.maxBytes ?? context.limits.maxBytes;
  const refuse = async (http: HttpCall, refusal: Refusal, asked: Asked): Promise<void> => {
    tell(context, refusal, asked);
    const { status } = refusal.row;
    const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    const bytes = writeJson(errorMessage(asked.value, refusal, now()));
    await http.answer(status, { ...JSON_TYPE, ...challenge }, bytes);
  };
  return {
    name: FACE,
    maxBytes,
    headers: ['accept', 'authorization', 'content-type', 'x-api-key'],
    methods: () => ['POST'],
    owns: (asked) => asked === path,
    handle: async (http) => {
      const asked: Asked = {};
      try {
        await serve(http, context, { ...options, maxBytes }, asked);
      } catch (thrown) {
        // Nobody is there to be told.
        if (http.signal.aborted) return;
        await refuse(http, toRefusal(thrown, context), asked);
      }
    },
    refuse: (http, error, status) => {
      const kind = OF_HOST[status];
      const words = kind === 'method' ? 'an offer is sent with POST' : error.row.words;
      const refusal = kind === undefined ? refusalOf(error, false) : new Refusal(kind, words);
      return refuse(http, refusal, {});
    },
  };
}

async function serve(
  http: HttpCall,
  context: ListenContext,
  options: ResolvedSteerqa & { readonly maxBytes: number },
  asked: Asked,
): Promise<void> {
  const known = await context.authenticate(http.shown);
  asked.from = known.principal.id;
  const { agentId } = context.about();
  const call = { ...known, face: FACE, agentId, signal: http.signal, now: options.now };
  await context.tasks.authorize(call, 'start');
  const { accept, 'content-type': contentType, 'content-encoding': encoding } = http.headers;
  assertJson(contentType, encoding);
  const form = formFor(accept);
  if (Number(http.headers['content-length'] ?? 0) > options.maxBytes) {
    throw new SdlError('LIMIT_BYTES', 'the body is too large');
  }
  const ticket = context.admit(FACE, http.peer);
  try {
    const bytes = await http.body();
    const value = readObject(bytes, { ...context.limits, maxBytes: options.maxBytes });
    asked.value = value;
    const read = readOffer(value, options.now(), options.skewMs);
    asked.taskId = read.taskId;
    const signal = AbortSignal.any([http.signal, ticket.signal]);
    const received = { bytes, mediaType: 'application/json', version: VERSION, transport: 'http' };
    await answer(
      http,
      form,
      exchange(read, { ...options, tasks: context.tasks, call: { ...call, signal, received } }),
      {
        options,
        context,
        asked,
      },
    );
  } finally {
    ticket.release();
  }
}

interface AnswerParts {
  readonly options: ResolvedSteerqa;
  readonly context: ListenContext;
  readonly asked: Asked;
}

async function answer(
  http: HttpCall,
  form: ReturnType<typeof formFor>,
  messages: ReturnType<typeof exchange>,
  { options, context, asked }: AnswerParts,
): Promise<void> {
  const writer = answerWriter(http, form, options.heartbeatMs);
  try {
    for await (const message of messages) await writer.send(message);
  } catch (thrown) {
    if (!writer.hasBegun || http.signal.aborted) throw thrown;
    const refusal = toRefusal(thrown, context);
    tell(context, refusal, asked);
    await writer.fail(writeJson(errorMessage(asked.value, refusal, options.now())));
  } finally {
    writer.stop();
  }
}

function toRefusal(thrown: unknown, context: ListenContext): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (!(thrown instanceof SdlError)) context.onError(thrown);
  return refusalOf(toSdlError(thrown), false);
}

function tell(context: ListenContext, refusal: Refusal, { from, taskId }: Asked): void {
  if (refusal.isTold) return;
  context.refused({
    face: FACE,
    operation: 'offer',
    code: refusal.row.code,
    error: refusal.toSdlError(),
    ...(from !== undefined && { from }),
    ...(taskId !== undefined && { taskId }),
  });
}
