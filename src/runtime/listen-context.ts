// Owns what the runtime gives to transports: where messages go, and what they tell of the agent by themselves.
// ARCHITECTURE.md ("Host and faces").

import { payloadDigest } from '../audit/entry.ts';
import type { ClientServices } from '../client/exchange.ts';
import type { JsonObject } from '../codec/value.ts';
import type { ContentHandler } from '../content.ts';
import { ADDITIONS } from '../envelope/capabilities.ts';
import { envelopeValue } from '../envelope/encode.ts';
import { uuidV7 } from '../envelope/uuid.ts';
import type { ToolRegistry } from '../handlers/tools/registry.ts';
import { readAsked } from '../handlers/task/request.ts';
import { openRequest, sealAnswer } from '../message/carried.ts';
import { Passage } from '../pipeline/passage.ts';
import { createReceive } from '../pipeline/receive.ts';
import { sealError } from '../pipeline/reply.ts';
import { createSealedLatch } from '../security/peers/sealed-latch.ts';
import type { ListenContext, Listener } from '../transport.ts';
import { createDocumentSource } from './agent-document.ts';
import { countStreams } from './counted-streams.ts';
import type { Counters } from './counters.ts';
import { endpointsOf, envelopeUrls } from './endpoints.ts';
import { createFaceContext } from './face-context.ts';
import { createJwsSigner } from './jws-signer.ts';
import type { ResolvedRuntimeOptions } from './options.ts';
import { createStoreProbe } from './ready.ts';
import { createTellRefusal } from './refusals.ts';
import type { TaskSide } from './task-side.ts';

interface ListenContextParts {
  readonly options: ResolvedRuntimeOptions;
  /** What messages need both ways. */
  readonly shared: Omit<ClientServices, 'connections' | 'wait' | 'onReceipt'>;
  readonly counters: Counters;
  readonly taskSide: TaskSide;
  readonly handlers: ReadonlyMap<string, ContentHandler>;
  /** What the runtime calls when it stops and waits no longer. */
  readonly running: Set<() => void>;
  /** Those that listen by now. */
  readonly listeners: readonly Listener[];
  readonly tools: ToolRegistry;
  readonly contentTypes: () => readonly string[];
  /** The runtime does not stop. */
  readonly isOpen: () => boolean;
}

const NOTHING = new Uint8Array(0);

export function createListenContext(parts: ListenContextParts): ListenContext {
  const { options, shared, counters, taskSide, running, listeners, tools, contentTypes } = parts;
  const { limits, crypto, identity, now, name, on, store, callers, evidence } = options;
  const sealedLatch = createSealedLatch(store);
  const { replayStore } = options.shared;
  const areStoresWell = createStoreProbe([...new Set([store, replayStore])], now);
  const receive = createReceive({
    ...shared,
    handlerFor: (ct) => parts.handlers.get(ct),
    handlerTimeoutMs: options.timeouts.handlerMs,
    running,
    onOutcome: (outcome) => {
      counters.count(outcome);
      on.outcome(outcome);
      // A handler that threw, or an answer that cannot be written: its author must hear of it.
      const { stage, error } = outcome;
      if (stage === 'route' && error?.code === 'INTERNAL') on.error(error.cause ?? error);
    },
  });
  return {
    tasks: taskSide.door,
    tellHooks: taskSide.tellHooks,
    receive: countStreams(receive, counters),
    limits,
    refuse: async (error) => {
      const nothing = { bytes: NOTHING, encoding: 'json' } as const;
      const passage = new Passage(nothing, shared, shared.snapshot());
      return (await sealError(passage, shared, error))!;
    },
    isReady: async () =>
      parts.isOpen() && evidence?.stats().isWell !== false && (await areStoresWell()),
    agentDocument: createDocumentSource(
      identity,
      () => ({
        name,
        endpoints: envelopeUrls(listeners),
        contentTypes: contentTypes(),
        tools: tools.names(),
        limits,
        x: ADDITIONS,
      }),
      crypto,
      now,
    ),
    metrics: () =>
      counters.text({
        inFlight: shared.admission.inFlight,
        nowMs: now(),
        ...taskSide.stats(),
        evidence: evidence?.stats(),
      }),
    ...createFaceContext({
      callers,
      admission: shared.admission,
      counters,
      running,
      about: () => ({
        agentId: identity().agentId,
        name,
        contentTypes: contentTypes(),
        tools: tools.names(),
        limits,
        endpoints: endpointsOf(listeners),
      }),
      refused: createTellRefusal({
        audit: shared.audit,
        counters,
        onOutcome: on.outcome,
        onError: on.error,
        newId: () => uuidV7(now(), options.randomBytes),
        now,
      }),
      onError: on.error,
    }),
    readTask: (payload) => {
      const descriptor = shared.registry.descriptorFor('task.v1');
      shared.registry.checkOwn({ ct: 'task.v1', payload, descriptor });
      return readAsked(payload, uuidV7(now(), options.randomBytes)).start;
    },
    open: (request) => openRequest(request, shared),
    seal: async (facts, answer) => {
      const { envelope } = await sealAnswer(facts, answer, shared);
      return envelopeValue(envelope) as JsonObject;
    },
    mustSeal: async (agentId) => {
      const peer = shared.snapshot().peers.find(agentId);
      return peer !== undefined && sealedLatch.mustSeal(peer);
    },
    hasSealed: async (agentId) => {
      const peer = shared.snapshot().peers.find(agentId);
      if (peer !== undefined) await sealedLatch.raise(peer);
    },
    digest: (payload) => payloadDigest(payload, crypto.sha256),
    bundle: () => identity().bundle,
    signer: createJwsSigner(identity, crypto, now),
  };
}
